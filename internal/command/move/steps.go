package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// interval is the time between two looks at what is waited for.
const interval = 200 * time.Millisecond

// removed is a version that no stored instance has. Deleting it removes the parts that a removal
// left when it was interrupted, and nothing else.
const removed = "removed"

// attempts bounds how often a step is repeated because others write at the same time.
const attempts = 20

// errAgain means that another client has written meanwhile.
var errAgain = errors.New("other clients write to it all the time; repeat the command")

// again calls a step until no other client writes at the same time.
func again(step func() error) error {
	busy := func(err error) bool {
		return errors.Is(err, errAgain) || errors.Is(err, store.ErrConflict) || kerrors.IsConflict(err)
	}
	err := retry.OnError(wait.Backoff{Duration: interval / 10, Factor: 1, Steps: attempts}, busy, step)
	if busy(err) {
		return errAgain
	}
	return err
}

// hold locks the stored instance in the source as soon as no operation runs and no actions are left
// to be invoked, and pauses the resource.
func (m *Mover) hold(ctx context.Context, r moving) error {
	until := time.Now().Add(m.Patience)
	told := ""
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		l, err := m.look(ctx, r)
		if err != nil || l.released() || l.ended() {
			return true, err
		}
		if l.lock != nil {
			return true, m.pause(ctx, r)
		}
		if what, refusal := l.busy(); refusal != nil {
			if told != what {
				m.Tell(r.String(), "waiting for "+what)
				told = what
			}
			if time.Now().After(until) {
				return false, refusal
			}
			return false, nil
		}
		err = m.lock(ctx, r, l)
		if errors.Is(err, store.ErrConflict) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("source: %w", err)
		}
		return true, m.pause(ctx, r)
	})
}

// busy returns what a resource has to end before it is moved, and the error if it does not; nil if
// it has nothing to end.
func (l look) busy() (what string, refusal error) {
	if l.stored != nil && l.stored.Instance.Operation != nil {
		op := l.stored.Instance.Operation
		return fmt.Sprintf("its %s, which began at %s", op.Kind, op.StartedAt.UTC().Format(time.RFC3339)),
			fmt.Errorf("its %s (operation %s) has not ended; see landbridge status for what it waits for", op.Kind, op.ID)
	}
	if trigger.Open(l.source) {
		return "its actions (spec.actions)", errors.New("its actions (spec.actions) have not ended. " +
			"See landbridge explain for what they wait for, or remove those that are not needed")
	}
	return "", nil
}

// lock locks the stored instance in the source.
func (m *Mover) lock(ctx context.Context, r moving, l look) error {
	rec := store.Record{Owner: l.source.GetUID()}
	if l.stored != nil {
		rec = *l.stored
	}
	journal, err := json.Marshal(lock{Cluster: m.targetID, Paused: meta.IsPaused(l.source), New: l.stored == nil})
	if err != nil {
		return err
	}
	rec.Instance.Operation = &instance.Operation{
		ID: string(uuid.NewUUID()), Kind: instance.Move, Generation: l.source.GetGeneration(), StartedAt: time.Now().UTC(), Journal: journal,
	}
	_, err = m.Source.Stored.Save(ctx, r.key, store.Verbatim, rec)
	return err
}

// pause pauses the resource in the source, and waits until its controller has noticed it. The lock
// alone holds the controller off, but only until it is removed: a controller with an old cache
// could act after that. It holds off no actions that precede an operation.
func (m *Mover) pause(ctx context.Context, r moving) error {
	if err := m.annotate(ctx, r); err != nil || m.Stopped {
		return err
	}
	until := time.Now().Add(m.Patience)
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		u, err := get(ctx, m.Source, r)
		switch {
		case err != nil || u == nil:
			return true, err
		case status.RowOf(u).Paused && trigger.Open(u):
			return false, errors.New("its actions (spec.actions) have begun before it was paused. Let it go on with --undo, and repeat the command")
		case status.RowOf(u).Paused:
			return true, nil
		case time.Now().After(until):
			return false, errors.New("the controller of the source has not noticed that it is paused. If none runs there, give --source-stopped")
		}
		return false, nil
	})
}

// annotate sets the annotation that pauses the resource in the source.
func (m *Mover) annotate(ctx context.Context, r moving) error {
	return again(func() error {
		u, err := get(ctx, m.Source, r)
		if err != nil || u == nil || meta.IsPaused(u) {
			return err
		}
		meta.AddAnnotations(u, map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
		if err := m.Source.Update(ctx, u, fieldOwner); err != nil {
			return client.IgnoreNotFound(err)
		}
		m.Tell(r.String(), "paused in the source")
		return nil
	})
}

// copy makes the stored instance and the resource in the target equal to those in the source.
func (m *Mover) copy(ctx context.Context, r moving) error {
	return again(func() error {
		l, err := m.look(ctx, r)
		if err != nil || l.released() || l.ended() {
			return err
		}
		if l.lock == nil {
			return errors.New("its stored instance is not locked any more: another move of it was undone or has ended. Repeat the command")
		}
		if l.target != nil && l.mark == nil {
			return errors.New("the target has such a resource of its own")
		}
		if err := m.copyRecord(ctx, r, l); err != nil {
			return err
		}
		if l.copiedWhole() {
			return nil
		}
		want, err := m.copyOf(r, l)
		if err != nil {
			return err
		}
		if l.target == nil {
			err = m.Target.Create(ctx, want, fieldOwner)
			if kerrors.IsAlreadyExists(err) {
				return errAgain
			}
		} else {
			want.SetResourceVersion(l.target.GetResourceVersion())
			err = m.Target.Update(ctx, want, fieldOwner)
		}
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		m.Tell(r.String(), "copied to the target")
		return nil
	})
}

// copyRecord copies the stored instance, unless nothing was stored before the lock. Until the
// resource is reconciled in the target, the owner of the copy is the resource in the source.
func (m *Mover) copyRecord(ctx context.Context, r moving, l look) error {
	if l.lock.New {
		return nil
	}
	if l.mark != nil && l.mark.UID != l.source.GetUID() {
		return nil // it was copied before the resource was made again in the source
	}
	want := *l.stored
	if op := want.Instance.Operation; op != nil {
		what := history.Entry{At: op.StartedAt, Action: history.Move, UID: l.source.GetUID(), Because: "landbridge move", Operation: op.ID}
		want.History = history.Add(want.History, what, max(len(want.History), history.DefaultSize))
	}
	want.Version, want.Owner, want.Instance.Operation = "", l.source.GetUID(), nil
	if l.copied != nil {
		if l.copied.Owner != want.Owner {
			return errors.New("the target has a stored instance of another resource of that name")
		}
		want.Version = l.copied.Version
	}
	if _, err := m.Target.Stored.Save(ctx, r.key, store.Verbatim, want); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	return nil
}

// copyOf returns the resource for the target: paused and marked.
func (m *Mover) copyOf(r moving, l look) (*unstructured.Unstructured, error) {
	k := mark{Cluster: m.sourceID, UID: l.source.GetUID(), Sum: sumOf(l.source)}
	if l.lock != nil {
		k.Paused = l.lock.Paused
	}
	raw, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	u := r.object()
	content := l.source.DeepCopy()
	u.Object["spec"] = content.Object["spec"]
	u.SetLabels(content.GetLabels())
	annotations := map[string]string{}
	maps.Copy(annotations, content.GetAnnotations())
	delete(annotations, v1alpha1.AnnotationChangedBy) // of a generation in the source
	annotations[meta.AnnotationKeyReconciliationPaused], annotations[annotationMovedFrom] = "true", string(raw)
	u.SetAnnotations(annotations)
	if l.lock != nil && !l.lock.New {
		// It tells the controller that something is stored.
		u.SetFinalizers([]string{xpmanaged.FinalizerName})
	}
	return u, nil
}

// handOver removes the resource from the source, and then lets the target reconcile it.
func (m *Mover) handOver(ctx context.Context, r moving) error {
	if err := again(func() error { return m.release(ctx, r) }); err != nil {
		return err
	}
	if err := again(func() error { return m.unlock(ctx, r) }); err != nil {
		return err
	}
	return again(func() error { return m.finish(ctx, r) })
}

// release removes the resource from the source without its finalizers, so that no controller
// destroys the remote object.
func (m *Mover) release(ctx context.Context, r moving) error {
	l, err := m.look(ctx, r)
	switch {
	case err != nil || l.released() || l.ended():
		return err
	case l.lock == nil:
		return errors.New("its stored instance is not locked any more: another move of it was undone or has ended. Repeat the command")
	case !meta.IsPaused(l.source):
		if err := m.pause(ctx, r); err != nil {
			return err
		}
		return errAgain
	case !l.copiedWhole():
		// It was changed in the source after it was copied.
		if err := m.copy(ctx, r); err != nil {
			return err
		}
		return errAgain
	case !l.lock.New && l.copied == nil:
		return errors.New("the target has lost the stored instance; repeat the command")
	}
	u := l.source
	for _, f := range finalizers {
		meta.RemoveFinalizer(u, f)
	}
	if err := m.Source.Update(ctx, u, fieldOwner); err != nil {
		return client.IgnoreNotFound(err)
	}
	err = m.Source.Delete(ctx, u, client.Preconditions{UID: ptr.To(u.GetUID()), ResourceVersion: ptr.To(u.GetResourceVersion())})
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	m.Tell(r.String(), "released in the source")
	return nil
}

// unlock removes the stored instance from the source. If nothing was stored before the lock, an
// empty one is left: a create that waits for its turn in the controller would store the first one.
// The next start of a controller removes it.
func (m *Mover) unlock(ctx context.Context, r moving) error {
	l, err := m.look(ctx, r)
	switch {
	case err != nil:
		return err
	case l.stored == nil:
		if err := m.Source.Stored.Delete(ctx, r.key, removed); !errors.Is(err, store.ErrConflict) {
			return err
		}
		return nil // a later resource of that name stores its first instance
	case l.ended():
		return nil
	case !l.released():
		return errAgain
	case l.lock == nil:
		return errors.New("its stored instance is not locked any more; repeat the command")
	case l.mark == nil:
		return errors.New("the target has no such resource, so its stored instance is kept in the source; landbridge state show prints it")
	}
	if l.lock.New {
		_, err := m.Source.Stored.Save(ctx, r.key, store.Verbatim, store.Record{Owner: l.stored.Owner, Version: l.stored.Version})
		return err
	}
	return m.Source.Stored.Delete(ctx, r.key, l.stored.Version)
}

// finish lets the controller of the target reconcile the resource.
func (m *Mover) finish(ctx context.Context, r moving) error {
	u, err := get(ctx, m.Target, r)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	if u == nil {
		return errors.New("the target has lost the resource")
	}
	k, err := markOf(u)
	if err != nil || k == nil {
		return err
	}
	meta.RemoveAnnotations(u, annotationMovedFrom)
	if !k.Paused {
		meta.RemoveAnnotations(u, meta.AnnotationKeyReconciliationPaused)
	}
	if err := m.Target.Update(ctx, u, fieldOwner); err != nil {
		return err
	}
	m.Tell(r.String(), "moved")
	return nil
}
