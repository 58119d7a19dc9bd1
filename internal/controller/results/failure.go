package results

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// failure is why a data source has no new result.
type failure struct {
	reason   xpv2.ConditionReason
	message  string
	deferral terraform.Deferral
	// retryAt is when the provider is available again; zero if the delay grows with each failure.
	retryAt time.Time
	// again is the delay until it is tried again, if that is known.
	again time.Duration
	// cannot is the reason of the event; empty for CannotReadDataSource.
	cannot event.Reason
	// passing is set for what ends within seconds and is not told.
	passing bool
	// standing is set for what does not go away by trying again at once.
	standing bool
	// stalls is set for what stays until something is changed.
	stalls bool
	// withholds is set if an earlier result must not be shown any more.
	withholds bool
}

// reasonCannotRead is that of events of failures. Waiting for others is normal.
const reasonCannotRead event.Reason = "CannotReadDataSource"

func unresolved(err error) failure {
	return failure{reason: v1alpha1.ReasonReferenceNotResolved, message: err.Error(), stalls: references.Mistaken(err)}
}

func notUsable(h providerconfig.Handle[terraform.Executor]) failure {
	out := failure{reason: v1alpha1.ReasonProviderConfig, message: h.Diagnostics.Errors()[0].Format(nil)}
	if h.Denied {
		out.reason, out.withholds, out.stalls = v1alpha1.ReasonNamespaceNotAllowed, true, true
	}
	return out
}

// fail writes why a data source has no new result, and returns when it is tried again. The last
// result stays, unless it is of other arguments.
func (r *Reconciler) fail(ctx context.Context, o *object, f failure) (reconcile.Result, error) {
	next := unmanaged.BackOff
	switch {
	case f.again > 0:
		next = reconcile.Result{RequeueAfter: f.again}
	case f.standing:
		interval := Interval(&o.Unstructured)
		if interval == 0 {
			interval = defaultInterval
		}
		next = reconcile.Result{RequeueAfter: interval}
	case !f.retryAt.IsZero():
		next = reconcile.Result{RequeueAfter: max(time.Until(f.retryAt), 10*time.Millisecond)}
	}
	if f.passing {
		return next, nil
	}
	message := managed.Shorten(o.Redacted(f.message))
	told := message
	if at := f.retryAt; !at.IsZero() && time.Until(at) > 15*unmanaged.Soon {
		message += "\n" + crd.NextAttempt(at)
	}
	before := o.GetCondition(xpv2.TypeSynced)
	if err := r.withdraw(ctx, o, f.withholds); err != nil {
		return reconcile.Result{}, err
	}
	o.Condition(xpv2.TypeSynced, corev1.ConditionFalse, f.reason, message)
	o.setProgress(f, message)
	o.SetDeferred(f.deferral, message)
	if r.kind.Model.Mode == model.Data {
		o.SetHandledReconcile() // an opening is requested until it was made
	}
	o.Set(o.GetGeneration(), "status", "observedGeneration")
	if err := o.Write(ctx, r.client); err != nil {
		return reconcile.Result{}, err
	}
	if before.Reason != f.reason || !strings.HasPrefix(before.Message, told) || before.ObservedGeneration != o.GetGeneration() {
		e := event.Event{Type: event.TypeWarning, Reason: cmp.Or(f.cannot, r.kind.cannot()), Message: told}
		if strings.HasPrefix(told, unmanaged.Waiting) {
			e.Type = event.TypeNormal
		}
		r.kind.Options.Recorder.Event(o, e)
	}
	return next, nil
}

// withdraw sets that there is no result, unless the last one is still of use. withholds is set if
// it must not be shown.
func (r *Reconciler) withdraw(ctx context.Context, o *object, withholds bool) error {
	outdated := withholds || o.observedGeneration() != o.GetGeneration()
	if r.kind.Model.Mode == model.Ephemeral {
		at, err := time.Parse(time.RFC3339, o.Text("status", "renewAt"))
		if ended := err == nil && r.kind.now().After(at); outdated || ended || o.Text("status", "openedAt") == "" {
			o.Condition(xpv2.TypeReady, corev1.ConditionFalse, xpv2.ReasonUnavailable, "It is not open with these arguments, or may have ended.")
		}
		return nil
	}
	if outdated {
		o.Remove("status", "atProvider")
		o.Remove("status", "configurationHash")
	}
	if _, has, _ := unstructured.NestedFieldNoCopy(o.Object, "status", "atProvider"); has {
		return nil
	}
	message, err := r.withoutResult(ctx, o, withholds)
	if err == nil {
		o.Condition(xpv2.TypeReady, corev1.ConditionFalse, xpv2.ReasonUnavailable, message)
	}
	return err
}

// cannot is the reason of events about what prevents a result.
func (k *Kind) cannot() event.Reason {
	if k.Model.Mode == model.Ephemeral {
		return reasonCannotOpen
	}
	return reasonCannotRead
}

// setProgress sets the conditions that kstatus asks for.
func (o *object) setProgress(f failure, message string) {
	switch {
	case f.stalls:
		o.Condition(v1alpha1.TypeStalled, corev1.ConditionTrue, f.reason, message)
	case o.GetCondition(v1alpha1.TypeStalled).Status == corev1.ConditionTrue:
		o.Condition(v1alpha1.TypeStalled, corev1.ConditionFalse, v1alpha1.ReasonProgressing, "")
	}
	if f.reason != "" && !f.stalls {
		o.Condition(v1alpha1.TypeReconciling, corev1.ConditionTrue, f.reason, message)
	} else {
		o.RemoveCondition(v1alpha1.TypeReconciling)
	}
}
