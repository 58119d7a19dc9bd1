package managed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/scheduler"
	"github.com/landbridge-io/landbridge/terraform"
	"github.com/landbridge-io/landbridge/translate"
)

// setStatus writes the observation into the resource's status, unless it is the one that is
// there already.
func (e *external) setStatus(r *Resource, o *scheduler.Observation) {
	r.observation = o
	if e.kind.written.same(r, o) {
		return
	}
	status := map[string]any{}
	for _, keep := range []string{"conditions", "observedGeneration", "lastHandledReconcileAt"} {
		if v, ok := r.object("status")[keep]; ok {
			status[keep] = v
		}
	}
	status["state"] = state(o.Instance.Status)
	if o.Exists() {
		status["atProvider"] = translate.Observation(e.kind.Model, o.Instance.State)
	}
	if o.Instance.HasIdentity() {
		status["identity"] = translate.Identity(e.kind.Model, o.Instance.Identity)
	}
	if op := o.Operation; op != nil {
		status["operation"] = map[string]any{
			"id": op.ID, "kind": string(op.Kind),
			"startedAt": op.StartedAt.UTC().Format(time.RFC3339), "deadline": op.Deadline.UTC().Format(time.RFC3339),
		}
	}
	if o.Plan != nil && o.Plan.Action != terraform.NoOp {
		status["plan"] = planStatus(e.kind, o.Plan)
	}
	r.Object["status"] = status
	e.setConditions(r, o)
}

func state(s instance.Status) string {
	if s == instance.Empty {
		return "Empty"
	}
	return string(s)
}

func (e *external) setConditions(r *Resource, o *scheduler.Observation) {
	set := func(c xpv2.Condition) { r.SetConditions(c.WithObservedGeneration(r.GetGeneration())) }
	switch {
	case meta.WasDeleted(r):
		set(xpv2.Deleting())
	case o.Operation != nil && o.Operation.Kind == instance.Create:
		set(xpv2.Creating())
	case o.Operation != nil && o.Operation.Kind == instance.Delete:
		set(xpv2.Unavailable().WithMessage("The remote object is being replaced."))
	case !o.Exists():
		set(xpv2.Creating())
	case o.Instance.Status == instance.Tainted:
		c := xpv2.Unavailable().WithMessage("The remote object is tainted: its creation did not end well.")
		c.Reason = v1alpha1.ReasonTainted
		set(c)
	default:
		set(xpv2.Available())
	}
	switch {
	case o.UpToDate():
		set(xpv2.ObserveMatched())
	case o.Exists() && o.Plan != nil && !r.allows(xpv2.ManagementActionUpdate):
		set(xpv2.UpdateRestricted())
	case o.Exists() && o.Plan != nil && !o.Last.Failed():
		set(xpv2.UpdateRequested())
	}
	if o.Last != nil && o.Operation == nil {
		c := xpv2.Condition{
			Type: v1alpha1.TypeLastAsyncOperation, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonSuccess,
			LastTransitionTime: metav1.NewTime(o.Last.At),
		}
		if o.Last.Failed() {
			c.Status, c.Reason = corev1.ConditionFalse, asyncReasons[o.Last.Kind]
			c.Message = e.message(r, &scheduler.Error{Diagnostics: o.Last.Diagnostics})
		}
		set(c)
	}
}

func planStatus(k *Kind, p *terraform.Plan) map[string]any {
	changes := translate.Changes(k.Model, p.Prior.State, p.State)
	list := make([]any, len(changes))
	for i, c := range changes {
		m := map[string]any{"path": c.Path}
		if c.Before != nil {
			m["before"] = c.Before
		}
		if c.After != nil {
			m["after"] = c.After
		}
		list[i] = m
	}
	out := map[string]any{"action": string(p.Action), "changes": list}
	if p.Reason != "" {
		out["reason"] = string(p.Reason)
	}
	if len(p.RequiresReplace) > 0 {
		paths := make([]any, len(p.RequiresReplace))
		for i, path := range translate.FieldPaths(k.Model, p.RequiresReplace) {
			paths[i] = path
		}
		out["requiresReplace"] = paths
	}
	if b, err := json.Marshal(out); err == nil {
		sum := sha256.Sum256(b)
		out["hash"] = hex.EncodeToString(sum[:8])
	}
	return out
}

// message is what was said, one diagnostic a line, in the spelling of the spec, and
// without any secret value of the resource, its object or its provider's configuration.
func (c *connector) message(r *Resource, err *scheduler.Error) string {
	var text string
	if err.Err != nil {
		text = err.Err.Error()
	} else {
		text = translate.Message(c.kind.Model, err.Diagnostics.Errors())
	}
	secrets := slices.Clone(r.secrets)
	o := r.observation
	if o == nil {
		o = c.kind.written.last(r.GetUID())
	}
	if o.Exists() {
		for _, value := range translate.ConnectionDetails(c.kind.Model, o.Instance.State) {
			secrets = append(secrets, string(value))
		}
	}
	// Longest first, so that a secret that holds another goes whole.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, s := range secrets {
		// Shorter ones say nothing by themselves, and their absence would garble the text.
		if s = strings.TrimSpace(s); len(s) > 3 {
			text = strings.ReplaceAll(text, s, "(sensitive value)")
		}
	}
	return text
}
