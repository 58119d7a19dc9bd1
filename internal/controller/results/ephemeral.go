package results

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/ephemeral"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// again is when an object is looked at again whose arguments cannot be told.
const again = 30 * time.Second

// holding is an ephemeral resource during one reconcile.
type holding struct {
	*object
	handle    providerconfig.Handle[terraform.Executor]
	arguments arguments
	// unusable is why the provider cannot be called, and incomplete why nothing can be opened.
	unusable, incomplete *failure
	leases               leases
	secret               published
	known                look
	// warnings are those of the provider. told are the events of what was done.
	warnings []string
	told     []event.Event
}

// hold opens, renews and closes an ephemeral resource as package ephemeral decides.
func (r *Reconciler) hold(ctx context.Context, o *object) (reconcile.Result, error) {
	k := r.kind
	if meta.WasDeleted(o) && !meta.FinalizerExists(o, xpmanaged.FinalizerName) {
		return reconcile.Result{}, nil
	}
	h, err := k.holding(ctx, o)
	if err != nil {
		return reconcile.Result{}, err
	}
	err = r.keep(ctx, h)
	k.looks.Remember(o, h.known)
	if err != nil {
		return reconcile.Result{}, err
	}
	for {
		d := ephemeral.Decide(k.input(h))
		var f *failure
		switch d.Step {
		case ephemeral.Wait:
			return r.held(ctx, h, d.Until)
		case ephemeral.Remove:
			return reconcile.Result{}, r.release(ctx, h)
		case ephemeral.Open:
			f, err = r.open(ctx, h)
		case ephemeral.Renew:
			f, err = r.renew(ctx, h)
		case ephemeral.Close:
			f, err = r.close(ctx, h, d.Lease)
		}
		k.looks.Remember(o, h.known)
		if err != nil {
			return reconcile.Result{}, err
		}
		if f != nil {
			return r.unheld(ctx, h, *f)
		}
	}
}

// holding returns what is known of an object.
func (k *Kind) holding(ctx context.Context, o *object) (*holding, error) {
	h := &holding{object: o, known: k.looks.Recall(o)}
	var err error
	if h.leases, err = k.Leases.load(ctx, k.Key(client.ObjectKeyFromObject(o)), o.GetUID()); err != nil {
		return nil, err
	}
	h.handle = k.handle(ctx, o)
	o.Secrets = append(o.Secrets, h.handle.Secrets...)
	if h.handle.Diagnostics.HasErrors() {
		f := notUsable(h.handle)
		h.unusable, h.incomplete = &f, &f
	}
	if meta.WasDeleted(o) {
		return h, nil // the provider needs no arguments to close
	}
	if h.secret, err = k.published(ctx, o); err != nil {
		return nil, err
	}
	if h.incomplete != nil {
		return h, nil
	}
	if err := k.resolve(ctx, o); err != nil {
		f := unresolved(err)
		h.incomplete = &f
		return h, nil
	}
	h.arguments, h.incomplete = k.arguments(ctx, o, h.handle)
	if h.incomplete == nil && h.secret.foreign != nil {
		h.incomplete = &failure{reason: v1alpha1.ReasonInvalidConfiguration, stalls: true,
			message: fmt.Sprintf("The Secret %s of spec.writeConnectionSecretToRef belongs to another object. Name another one.", outName(o).Name)}
	}
	return h, nil
}

// input returns what the next step depends on. Attempts to close count apart from the others: one
// that fails delays no renewal. If nothing is due, what has failed is not wanted any more.
func (k *Kind) input(h *holding) ephemeral.Input {
	in := ephemeral.Input{Name: string(h.GetUID()), Anew: h.anew(), Deleting: meta.WasDeleted(h), Now: k.now()}
	if current := h.leases.Current; current != nil {
		in.Current = &current.Lease
	}
	for _, l := range h.leases.Replaced {
		in.Replaced = append(in.Replaced, l.Lease)
	}
	failed := h.known.opening
	switch ephemeral.Decide(in).Step {
	case ephemeral.Wait:
		h.known.opening, h.known.closing, failed = attempts{}, attempts{}, attempts{}
	case ephemeral.Close:
		failed = h.known.closing
	}
	in.Failures, in.Tried = failed.n, failed.at
	return in
}

// anew reports whether what is open is to be replaced: the arguments are others, it is requested,
// or the Secret does not have the result, which is nowhere else.
func (h *holding) anew() bool {
	current := h.leases.Current
	return current != nil && h.incomplete == nil && (current.Hash != h.arguments.hash || h.unhandled() || !h.shown())
}

// shown reports whether the Secret has the result of what is open.
func (h *holding) shown() bool {
	current := h.leases.Current
	return current != nil && h.secret.openedAt == expiry(*current)[v1alpha1.AnnotationOpenedAt]
}

// open opens an ephemeral resource, and keeps it.
func (r *Reconciler) open(ctx context.Context, h *holding) (*failure, error) {
	k := r.kind
	if h.incomplete != nil {
		f := *h.incomplete
		f.again = again
		return &f, nil
	}
	if err := r.finalize(ctx, h.object); err != nil {
		return nil, err
	}
	opener, release, f := k.opener(ctx, h, v1alpha1.ReasonOpenFailed)
	if f != nil {
		return f, nil
	}
	defer release()
	of, diags := opener.OpenEphemeral(ctx, k.Model.Type, h.arguments.config)
	if diags.HasErrors() {
		return k.unable(h, v1alpha1.ReasonOpenFailed, diags), nil
	}
	now := k.now()
	h.known.opened = &opened{
		lease: lease{
			Lease: ephemeral.Lease{Since: now, RenewAt: of.RenewAt}, OpenedAt: now, Hash: h.arguments.hash,
			Private: of.Private,
		}, replaces: h.leases.Current,
		details: k.details(h, of), warnings: r.warnings(h.object, diags.Warnings(), nil), requested: h.requested(),
	}
	h.known.opening = attempts{}
	return nil, r.keep(ctx, h)
}

// renew has what is open last longer. What the provider refuses to renew is opened anew.
func (r *Reconciler) renew(ctx context.Context, h *holding) (*failure, error) {
	k, current := r.kind, h.leases.Current
	opener, release, f := k.opener(ctx, h, v1alpha1.ReasonRenewalFailed)
	if f != nil {
		return f, nil
	}
	defer release()
	renewed, diags := opener.RenewEphemeral(ctx, k.Model.Type, current.open())
	if diags.HasErrors() {
		f := k.unable(h, v1alpha1.ReasonRenewalFailed, diags)
		if f.reason != v1alpha1.ReasonRenewalFailed || ctx.Err() != nil || provider.Fence(ctx) != nil {
			return f, nil
		}
		h.known.opening = attempts{}
		current.Refused = true
		h.told = append(h.told, event.Event{Type: event.TypeWarning, Reason: reasonCannotRenew, Message: h.object.Redacted(f.message)})
		return nil, k.save(ctx, h)
	}
	current.Since, current.RenewAt, current.Private = k.now(), renewed.RenewAt, renewed.Private
	h.known.opening = attempts{}
	return nil, k.save(ctx, h)
}

// close ends what was replaced, or what is open if the index is -1. What has ended by itself is
// given up.
func (r *Reconciler) close(ctx context.Context, h *holding, index int) (*failure, error) {
	k, of := r.kind, h.leases.Current
	if index >= 0 {
		of = &h.leases.Replaced[index]
	}
	opener, release, f := k.opener(ctx, h, v1alpha1.ReasonCloseFailed)
	if f == nil {
		diags := opener.CloseEphemeral(ctx, k.Model.Type, of.open())
		release()
		if diags.HasErrors() {
			f = k.unable(h, v1alpha1.ReasonCloseFailed, diags)
		}
	}
	switch {
	case f != nil && !ephemeral.Over(of.Lease, h.known.closing.n, k.now()):
		return f, nil
	case f != nil:
		h.told = append(h.told, event.Event{
			Type: event.TypeWarning, Reason: reasonCannotClose,
			Message: "It is not closed, and has ended by itself: " + h.object.Redacted(f.message),
		})
	default:
		h.told = append(h.told, event.Normal(reasonClosed, "The ephemeral resource was closed"))
	}
	h.known.closing = attempts{}
	if index >= 0 {
		h.leases.Replaced = slices.Delete(h.leases.Replaced, index, index+1)
	} else {
		h.leases.Current = nil
	}
	return nil, k.save(ctx, h)
}

// held writes what is open, and returns when to look again. incomplete arguments are told, while
// what is open is renewed.
func (r *Reconciler) held(ctx context.Context, h *holding, until time.Time) (reconcile.Result, error) {
	k := r.kind
	wait := time.Duration(0)
	if !until.IsZero() {
		wait = max(until.Sub(k.now()), time.Millisecond)
	}
	if h.shown() && h.secret.renewAt != expiry(*h.leases.Current)[v1alpha1.AnnotationRenewAt] {
		if err := r.republish(ctx, h.object, *h.leases.Current); err != nil {
			return reconcile.Result{}, err
		}
	}
	if h.incomplete != nil && !meta.WasDeleted(h) {
		f := *h.incomplete
		f.again = again
		if wait > 0 {
			f.again = min(again, wait)
		}
		return r.unheld(ctx, h, f)
	}
	h.show()
	if known := h.known; known.opening.n+known.closing.n == 0 {
		h.Condition(xpv2.TypeReady, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
		h.Condition(xpv2.TypeSynced, corev1.ConditionTrue, xpv2.ReasonReconcileSuccess, "")
		h.setProgress(failure{}, "")
		h.SetDeferred(terraform.NotDeferred, "")
		h.Set(h.GetGeneration(), "status", "observedGeneration")
	}
	if err := h.object.Write(ctx, r.client); err != nil {
		return reconcile.Result{}, err
	}
	r.tell(h)
	return reconcile.Result{RequeueAfter: wait}, nil
}

// unheld writes why the next step was not made, and what is open nevertheless.
func (r *Reconciler) unheld(ctx context.Context, h *holding, f failure) (reconcile.Result, error) {
	h.show()
	out, err := r.fail(ctx, h.object, f)
	if err == nil {
		r.tell(h)
	}
	return out, err
}

// show sets what the status has of what is open.
func (h *holding) show() {
	h.Remove("status", "openedAt")
	h.Remove("status", "renewAt")
	if h.shown() {
		h.Set(stamp(h.leases.Current.OpenedAt), "status", "openedAt")
		if at := h.leases.Current.RenewAt; !at.IsZero() {
			h.Set(stamp(at), "status", "renewAt")
		}
	}
	if h.warnings != nil {
		h.SetWarnings(h.warnings)
	}
}

func (r *Reconciler) tell(h *holding) {
	for _, e := range h.told {
		r.kind.Options.Recorder.Event(h.object, e)
	}
	for _, w := range h.warnings {
		r.kind.Options.Recorder.Event(h.object, event.Event{Type: event.TypeWarning, Reason: reasonWarned, Message: w})
	}
}

// finalize has an object wait for the close when it is deleted.
func (r *Reconciler) finalize(ctx context.Context, o *object) error {
	if meta.FinalizerExists(o, xpmanaged.FinalizerName) {
		return nil
	}
	return o.Change(ctx, r.client, func(u client.Object) { meta.AddFinalizer(u, xpmanaged.FinalizerName) })
}

// release lets an object go of which nothing is open.
func (r *Reconciler) release(ctx context.Context, h *holding) error {
	if err := r.kind.save(ctx, h); err != nil {
		return err
	}
	r.tell(h)
	return client.IgnoreNotFound(h.Change(ctx, r.client, func(u client.Object) { meta.RemoveFinalizer(u, xpmanaged.FinalizerName) }))
}
