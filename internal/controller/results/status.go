package results

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Reasons of events.
const (
	reasonRead          event.Reason = "ReadDataSource"
	reasonWarned        event.Reason = "Warned"
	reasonCannotPublish event.Reason = "CannotPublishConnectionDetails"
)

// maxNamed bounds the fields that an event names.
const maxNamed = 8

// succeed writes the result of a read: sensitive values into the Secret, and the others into the
// status. changed tells what differs from the result before; empty if nothing does.
func (r *Reconciler) succeed(ctx context.Context, o *object, a arguments, data result) (changed string, _ error) {
	k := r.kind
	details := translate.ConnectionDetails(k.Model, data.Value)
	for _, v := range details {
		o.Secrets = append(o.Secrets, string(v))
	}
	published, err := r.publish(ctx, o, details)
	if err != nil {
		k.Options.Recorder.Event(o, event.Warning(reasonCannotPublish, err))
		return "", err
	}
	before, _, _ := unstructured.NestedMap(o.Object, "status", "atProvider")
	first := before == nil
	now := translate.Observation(k.Model, data.Value)
	leftOut := managed.FitObject(now, managed.MaxAtProvider)
	o.Set(now, "status", "atProvider")
	shown, _, _ := unstructured.NestedMap(o.Object, "status", "atProvider")
	fields := differences(before, shown)
	if first || published || len(fields) > 0 {
		changed = told(first, published, fields)
		o.Set(time.Now().UTC().Format(time.RFC3339), "status", "lastChangeTime")
	}
	o.Set(a.hash, "status", "configurationHash")
	added := o.SetWarnings(r.warnings(o, data.warnings, leftOut))
	o.Condition(xpv2.TypeReady, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
	o.Condition(xpv2.TypeSynced, corev1.ConditionTrue, xpv2.ReasonReconcileSuccess, "")
	o.setProgress(failure{}, "")
	o.SetDeferred(terraform.NotDeferred, "")
	o.SetHandledReconcile()
	o.Set(o.GetGeneration(), "status", "observedGeneration")
	if err := o.Write(ctx, r.client); err != nil {
		return "", err
	}
	for _, w := range added {
		k.Options.Recorder.Event(o, event.Event{Type: event.TypeWarning, Reason: reasonWarned, Message: w})
	}
	return changed, nil
}

// told describes how a result differs from the one before, without values.
func told(first, secret bool, fields []string) string {
	if first {
		return "The data source was read"
	}
	if more := len(fields) - maxNamed; more > 0 {
		fields = append(fields[:maxNamed:maxNamed], fmt.Sprintf("%d more", more))
	}
	if secret {
		fields = append(fields, "the connection Secret")
	}
	return "The result has changed: " + strings.Join(fields, ", ")
}

// differences returns the fields that differ, sorted.
func differences(before, now map[string]any) (out []string) {
	all := maps.Clone(before)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !equality.Semantic.DeepEqual(before[name], now[name]) {
			out = append(out, name)
		}
	}
	return out
}

// warnings returns those of the provider, and those about values that the status does not have or
// does not have exactly.
func (r *Reconciler) warnings(o *object, of diagnostic.Diagnostics, leftOut []string) (out []string) {
	for _, d := range of {
		out = append(out, o.Redacted(translate.Message(r.kind.Model, diagnostic.Diagnostics{d})))
	}
	if len(leftOut) > 0 {
		out = append(out, "Fields are left out of status.atProvider, because they are too large: "+strings.Join(leftOut, ", ")+".")
	}
	return out
}
