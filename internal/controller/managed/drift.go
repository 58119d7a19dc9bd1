package managed

import (
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/translate"
)

const (
	// maxDrifted bounds the fields that a message names.
	maxDrifted = 5
	// maxFormerChanges bounds the changes of one drift in the history.
	maxFormerChanges = 10
)

// driftStatus returns status.drift; nil if nothing ever drifted.
func driftStatus(k *Kind, o *scheduler.Observation) map[string]any {
	out := map[string]any{}
	concealed := translate.Concealed(k.Model, o.Instance.SensitivePaths)
	if d := o.Drift; d != nil {
		describeDrift(k, out, *d, concealed, 0)
	}
	var history []any
	for _, d := range o.Instance.DriftHistory {
		former := map[string]any{"until": d.Until.UTC().Format(time.RFC3339), "outcome": string(d.Outcome)}
		describeDrift(k, former, d.Drift, concealed, maxFormerChanges)
		history = append(history, former)
	}
	if history != nil {
		out["history"] = history
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// describeDrift adds a drift to a part of the status, with at most the given number of changes; 0
// is all.
func describeDrift(k *Kind, to map[string]any, d instance.Drift, concealed []cty.Path, most int) {
	to["found"] = d.Found.UTC().Format(time.RFC3339)
	if d.Gone {
		to["gone"] = true
	}
	changes := translate.Drift(k.Model, d.Changes, concealed...)
	if more := len(changes) - most; most > 0 && more > 0 {
		changes = append(changes[:most:most], translate.Change{Path: "…", After: fmt.Sprintf("(%d more changes)", more)})
	}
	if len(changes) > 0 {
		to["changes"] = changesStatus(changes)
	}
}

func changesStatus(changes []translate.Change) []any {
	list := make([]any, len(changes))
	for i, c := range changes {
		m := map[string]any{"path": c.Path}
		if c.Before != nil {
			m["before"] = c.Before
		}
		if c.After != nil {
			m["after"] = c.After
		}
		for name, set := range map[string]bool{
			"beforeSensitive": c.BeforeSensitive, "afterSensitive": c.AfterSensitive, "afterUnknown": c.AfterUnknown,
		} {
			if set {
				m[name] = true
			}
		}
		list[i] = m
	}
	return list
}

// drifted returns the condition Drifted. A resource that never drifted has none.
func (e *external) drifted(r *CustomResource, d *instance.Drift) xpv2.Condition {
	c := xpv2.Condition{
		Type: v1alpha1.TypeDrifted, Status: corev1.ConditionFalse, Reason: v1alpha1.ReasonNoDrift,
		LastTransitionTime: metav1.Now(),
	}
	if d == nil {
		return c
	}
	next := ""
	switch {
	case !e.spec.Policies.Update && !d.Gone || !e.spec.Policies.Create && d.Gone:
		next = "It stays, because of spec.managementPolicies."
	case e.spec.Policies.Drift == desired.RepairDrift && d.Gone:
		next = "It is created again."
	case e.spec.Policies.Drift == desired.RepairDrift:
		next = "It is changed back."
	case e.spec.Policies.Drift == desired.ApproveDrift:
		next = "The plan in status.plan waits for landbridge approve."
	case d.Gone:
		next = fmt.Sprintf("landbridge reapply %s %s creates it again.", e.kind.Model.Singular, e.kind.named(r))
	default:
		next = fmt.Sprintf("landbridge adopt-drift %s %s takes the values over, and landbridge reapply "+
			"changes them back.", e.kind.Model.Singular, e.kind.named(r))
	}
	c.Status, c.Reason = corev1.ConditionTrue, v1alpha1.ReasonDriftFound
	c.Message = Shorten(driftText(e.kind, d) + " " + next)
	return c
}

// driftText returns what was changed, without values.
func driftText(k *Kind, d *instance.Drift) string {
	if d.Gone {
		return "The remote object was destroyed outside of this resource."
	}
	var paths []string
	for i, c := range d.Changes {
		if i == maxDrifted {
			paths = append(paths, fmt.Sprintf("%d more fields", len(d.Changes)-i))
			break
		}
		paths = append(paths, translate.FieldPath(k.Model, cty.Path(c.Path)))
	}
	return fmt.Sprintf("Changed outside of this resource: %s.", strings.Join(paths, ", "))
}

const reasonDrifted event.Reason = event.Reason(v1alpha1.ReasonDriftFound)
