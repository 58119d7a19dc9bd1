package results

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// opened is what was opened and is not known to be stored and shown yet. Only memory has it.
type opened struct {
	lease lease
	// replaces is what was current when it was opened; nil if nothing was.
	replaces *lease
	details  map[string][]byte
	warnings []string
	// requested are the requests that it was opened for.
	requested requests
}

// keep stores what was opened, and then shows its result. If that fails, the next look tries again:
// a write without an answer may have succeeded, so nothing is closed that may be in use, and nothing
// is left open without a record.
func (r *Reconciler) keep(ctx context.Context, h *holding) error {
	k, o := r.kind, h.known.opened
	if o == nil {
		return nil
	}
	if !h.leases.has(o.lease) {
		before := h.leases
		h.leases.add(*o)
		if err := k.save(ctx, h); err != nil {
			h.leases = before
			return r.unstored(ctx, h, err)
		}
	}
	switch {
	case h.incomplete != nil && !meta.WasDeleted(h):
		return nil // whether it fits is not known now
	case h.wants(o.lease, k.now()):
		if err := r.publishLease(ctx, h.object, o.lease, o.details); err != nil {
			return fmt.Errorf("cannot write the result: %w", err)
		}
		h.secret = published{openedAt: expiry(o.lease)[v1alpha1.AnnotationOpenedAt], renewAt: expiry(o.lease)[v1alpha1.AnnotationRenewAt]}
	}
	if h.shown() && h.requested() == o.requested {
		h.SetHandledReconcile()
	}
	if h.shown() {
		h.warnings = o.warnings
		h.told = append(h.told, event.Normal(reasonOpened, "The ephemeral resource was opened"))
	}
	h.known.opened = nil
	return nil
}

// unstored closes what was opened if the API server has refused to store it, which may last. Whether
// it is stored after another error shows with the next look.
func (r *Reconciler) unstored(ctx context.Context, h *holding, err error) error {
	if reason := kerrors.ReasonForError(err); !slices.Contains(refusals, reason) {
		return err
	}
	opener, release, f := r.kind.opener(ctx, h, v1alpha1.ReasonCloseFailed)
	if f != nil {
		return err
	}
	defer release()
	if diags := opener.CloseEphemeral(ctx, r.kind.Model.Type, h.known.opened.lease.open()); !diags.HasErrors() {
		h.known.opened = nil
	}
	return err
}

// refusals are the reasons of answers that say that nothing was written.
var refusals = []metav1.StatusReason{
	metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict, metav1.StatusReasonForbidden, metav1.StatusReasonInvalid,
	metav1.StatusReasonNotFound, metav1.StatusReasonRequestEntityTooLarge,
}

// wants reports whether the Secret is to have the result of what was opened, and does not have it.
func (h *holding) wants(l lease, now time.Time) bool {
	current := h.leases.Current
	return !meta.WasDeleted(h) && current.is(l) && current.Hash == h.arguments.hash && !h.shown() && (l.RenewAt.IsZero() || now.Before(l.RenewAt))
}

// is reports whether a lease is of the same opening as another one; of may be nil.
func (of *lease) is(l lease) bool {
	return of != nil && of.OpenedAt.Equal(l.OpenedAt)
}

// has reports whether an opening is known.
func (l *leases) has(of lease) bool {
	return l.Current.is(of) || slices.ContainsFunc(l.Replaced, func(r lease) bool { return r.is(of) })
}

// add adds an opening. It is the current one, unless another process has replaced what it replaces.
// The clocks of processes differ, so their times do not tell which one is later.
func (l *leases) add(of opened) {
	former, replaced := l.Current, slices.Clone(l.Replaced)
	switch {
	case former == nil && of.replaces == nil:
		l.Current = &of.lease
	case of.replaces != nil && former.is(*of.replaces):
		l.Current, l.Replaced = &of.lease, append(replaced, *former)
	default:
		l.Replaced = append(replaced, of.lease)
	}
}
