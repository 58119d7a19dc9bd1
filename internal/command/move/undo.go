package move

import (
	"context"
	"errors"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// undo removes the copy from the target, and then unlocks the resource in the source.
func (m *Mover) undo(ctx context.Context, r moving) error {
	l, err := m.look(ctx, r)
	switch {
	case err != nil:
		return err
	case l.released() && (l.lock != nil || l.mark != nil):
		return errors.New("it is released in the source, so its move cannot be undone any more. Repeat the command " +
			"without --undo to end the move")
	case l.lock == nil:
		return nil // no move of it has begun
	}
	if err := again(func() error { return m.removeCopy(ctx, r) }); err != nil {
		return err
	}
	if err := again(func() error { return m.restore(ctx, r) }); err != nil {
		return err
	}
	m.Tell(r.String(), "stays in the source")
	return nil
}

// removeCopy removes the resource and its stored instance from the target.
func (m *Mover) removeCopy(ctx context.Context, r moving) error {
	l, err := m.look(ctx, r)
	if err != nil {
		return err
	}
	if u := l.target; u != nil && l.mark != nil {
		if !meta.IsPaused(u) {
			return errors.New("it is not paused in the target any more, so its controller may have changed the " +
				"remote object. Repeat the command without --undo to end the move")
		}
		for _, f := range finalizers {
			meta.RemoveFinalizer(u, f)
		}
		if err := m.Target.Update(ctx, u, fieldOwner); err != nil && client.IgnoreNotFound(err) != nil {
			return err
		}
		err := m.Target.Delete(ctx, u, client.Preconditions{UID: ptr.To(u.GetUID()), ResourceVersion: ptr.To(u.GetResourceVersion())})
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	if l.copied != nil && (l.source == nil || l.copied.Owner != l.source.GetUID()) {
		return nil // it is another resource's
	}
	version := removed
	if l.copied != nil {
		version = l.copied.Version
	}
	err = m.Target.Stored.Delete(ctx, r.key, version)
	if l.copied == nil && l.source != nil && errors.Is(err, store.ErrConflict) {
		// A copy in several parts was interrupted at its first write, which counts as absent.
		var rec store.Record
		if rec, err = m.Target.Stored.Save(ctx, r.key, store.Verbatim, store.Record{Owner: l.source.GetUID()}); err == nil {
			err = m.Target.Stored.Delete(ctx, r.key, rec.Version)
		}
	}
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	return nil
}

// restore makes the resource in the source as it was before its move. The lock is removed last:
// what it holds is needed until then.
func (m *Mover) restore(ctx context.Context, r moving) error {
	l, err := m.look(ctx, r)
	if err != nil || l.lock == nil || l.source == nil {
		return err
	}
	u := l.source
	changed := false
	if !l.lock.New && u.GetDeletionTimestamp() == nil && !held(u) {
		meta.AddFinalizer(u, xpmanaged.FinalizerName)
		changed = true
	}
	if !l.lock.Paused && meta.IsPaused(u) {
		meta.RemoveAnnotations(u, meta.AnnotationKeyReconciliationPaused)
		changed = true
	}
	if changed {
		if err := m.Source.Update(ctx, u, fieldOwner); err != nil {
			return err
		}
	}
	if l.lock.New {
		return m.Source.Stored.Delete(ctx, r.key, l.stored.Version)
	}
	rec := *l.stored
	rec.Instance.Operation = nil
	_, err = m.Source.Stored.Save(ctx, r.key, store.Verbatim, rec)
	return err
}
