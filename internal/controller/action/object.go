package action

import (
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/invocation"
)

// object is an action during one reconcile.
type object struct{ unmanaged.Resource }

// number returns a number; otherwise if there is none. Numbers of manifests may be floats.
func (o *object) number(otherwise int64, path ...string) int64 {
	x, ok, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	if n, isInt := x.(int64); ok && isInt {
		return n
	}
	if n, isFloat := x.(float64); ok && isFloat {
		return int64(n)
	}
	return otherwise
}

func (o *object) suspended() bool {
	suspend, _, _ := unstructured.NestedBool(o.Object, "spec", "suspend")
	return suspend
}

// defaultAttempts is the default of spec.maxAttempts.
const defaultAttempts = 3

// input returns what the next step depends on.
func (o *object) input(now time.Time, ours bool) invocation.Input {
	in := invocation.Input{
		Record: recordOf(&o.Unstructured), Ours: ours, Suspended: o.suspended(), Deleting: meta.WasDeleted(o), Now: now,
		Retry: invocation.RetryPolicy(o.Text("spec", "retryPolicy")), MaxAttempts: int(o.number(defaultAttempts, "spec", "maxAttempts")),
	}
	if seconds := o.number(-1, "spec", "ttlSecondsAfterFinished"); seconds >= 0 {
		ttl := time.Duration(seconds) * time.Second
		in.TTL = &ttl
	}
	return in
}

// recordOf returns the record of an object's invocation.
func recordOf(u *unstructured.Unstructured) invocation.Record {
	attempts, _, _ := unstructured.NestedInt64(u.Object, "status", "attempts")
	return invocation.Record{
		Phase: invocation.Phase(unmanaged.TextOf(u, "status", "phase")), Attempts: int(attempts),
		Started: timeOf(u, "startTime"), Ended: timeOf(u, "completionTime"),
	}
}

func timeOf(u *unstructured.Unstructured, field string) time.Time {
	t, _ := time.Parse(time.RFC3339, unmanaged.TextOf(u, "status", field)) // without one it is zero
	return t.UTC()
}

// setRecord sets the record of the invocation.
func (o *object) setRecord(r invocation.Record) {
	o.Set(string(r.Phase), "status", "phase")
	o.Set(int64(r.Attempts), "status", "attempts")
	for field, t := range map[string]time.Time{"startTime": r.Started, "completionTime": r.Ended} {
		if o.Remove("status", field); !t.IsZero() {
			o.Set(t.UTC().Format(time.RFC3339), "status", field)
		}
	}
}

// over reports whether nothing more is invoked for an object.
func over(u *unstructured.Unstructured) bool {
	retries := unmanaged.TextOf(u, "spec", "retryPolicy") == crd.RetryOnFailure
	phase := recordOf(u).Phase
	return phase.Final() && !(phase == invocation.Failed && retries && conditionOf(u, v1alpha1.TypeFailed) != string(corev1.ConditionTrue))
}

func conditionOf(u *unstructured.Unstructured, t xpv2.ConditionType) string {
	r := managed.CustomResource{Unstructured: *u}
	return string(r.GetCondition(t).Status)
}
