package migrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Undo lets the old resources manage their objects again, whether their hand-over has ended or was
// interrupted. Those that were not handed over stay as they are. force permits it for new resources
// that were changed since.
func (h *HandOver) Undo(ctx context.Context, all []Upjet, force bool) error {
	var problems []error
	for _, o := range all {
		if err := h.undoable(ctx, o, force); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", o.Title(), err))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("nothing was changed:\n%w", errors.Join(problems...))
	}
	for _, o := range all {
		if err := h.undo(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.Title(), err)
		}
	}
	return nil
}

// undoable returns why a hand-over cannot be undone.
func (h *HandOver) undoable(ctx context.Context, o Upjet, force bool) error {
	old, err := h.get(ctx, o.Unstructured)
	switch {
	case err != nil:
		return err
	case old == nil:
		return errors.New("it is gone")
	}
	k, err := markOf(old)
	if err != nil || k == nil {
		return err
	}
	if old.GetDeletionTimestamp() != nil {
		return fmt.Errorf("it is being deleted, so %s keeps its object", k.To)
	}
	u, err := h.newOne(ctx, old, k)
	if err != nil || u == nil {
		return err
	}
	if k.Done && u.GetGeneration() != k.Generation && !force && !retracted(u) {
		return fmt.Errorf("the spec of %s was changed since. Make the same changes in the old resource, and give --force", k.To)
	}
	return nil
}

// retracted reports whether a new resource only observes: the first step of an undo.
func retracted(u *unstructured.Unstructured) bool {
	all, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "managementPolicies")
	return len(all) == 1 && all[0] == "Observe"
}

func (h *HandOver) undo(ctx context.Context, o Upjet) error {
	old, err := h.get(ctx, o.Unstructured)
	if err != nil || old == nil {
		return err
	}
	k, err := markOf(old)
	if err != nil || k == nil {
		return err
	}
	for _, step := range []func(context.Context, *unstructured.Unstructured, *mark) error{h.retract, h.removeNew, h.removeSecrets} {
		if err := step(ctx, old, k); err != nil {
			return err
		}
	}
	return again(func() error {
		u, err := h.get(ctx, old)
		if err != nil || u == nil || u.GetAnnotations()[annotationHandOver] == "" {
			return err
		}
		k.restore(u)
		if err := h.Client.Update(ctx, u, fieldOwner); err != nil {
			return err
		}
		h.tell(o, "manages its object again")
		return nil
	})
}

// retract lets the new resource only observe, so that it neither changes nor destroys the object
// any more, and gives the connection Secret back.
func (h *HandOver) retract(ctx context.Context, old *unstructured.Unstructured, k *mark) error {
	return again(func() error {
		u, err := h.newOne(ctx, old, k)
		if err != nil || u == nil {
			return err
		}
		if !retracted(u) || meta.IsPaused(u) {
			if err := unstructured.SetNestedStringSlice(u.Object, []string{"Observe"}, "spec", "managementPolicies"); err != nil {
				return err
			}
			// A paused resource is not removed, either.
			meta.RemoveAnnotations(u, meta.AnnotationKeyReconciliationPaused)
			if err := h.Client.Update(ctx, u, fieldOwner); err != nil {
				return client.IgnoreNotFound(err)
			}
		}
		secret, err := h.connection(ctx, old, u)
		if err != nil {
			return err
		}
		return h.passConnection(ctx, secret, u, old)
	})
}

// removeNew deletes the new resource, and waits until its controller has let it go.
func (h *HandOver) removeNew(ctx context.Context, old *unstructured.Unstructured, k *mark) error {
	until := h.patience()
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		u, err := h.newOne(ctx, old, k)
		if err != nil || u == nil {
			return err == nil, err
		}
		if u.GetDeletionTimestamp() == nil {
			if !retracted(u) {
				return false, fmt.Errorf("the policies of %s were changed. Repeat the command", k.To)
			}
			err := h.Client.Delete(ctx, u, client.Preconditions{UID: ptr.To(u.GetUID()), ResourceVersion: ptr.To(u.GetResourceVersion())})
			if client.IgnoreNotFound(err) != nil && !kerrors.IsConflict(err) {
				return false, err
			}
		}
		if time.Now().After(until) {
			return false, fmt.Errorf("%s is not gone: its controller does not run, or is busy. Repeat the command", k.To)
		}
		return false, nil
	})
}

// removeSecrets deletes the Secrets that the hand-over has created. The controller has deleted what
// was stored.
func (h *HandOver) removeSecrets(ctx context.Context, old *unstructured.Unstructured, k *mark) error {
	namespaces := []string{k.To.Namespace}
	if h.System != "" && h.System != k.To.Namespace {
		namespaces = append(namespaces, h.System)
	}
	for _, namespace := range namespaces {
		list := &corev1.SecretList{}
		if err := h.Client.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{labelFrom: string(old.GetUID())}); err != nil {
			return err
		}
		for i := range list.Items {
			if err := h.Client.Delete(ctx, &list.Items[i]); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
	}
	return nil
}
