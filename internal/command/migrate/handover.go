package migrate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/command/status"
)

// HandOver hands objects over from the old resources to new ones in the same cluster.
type HandOver struct {
	// Client must not be a cache.
	Client client.Client
	// System is the namespace of Landbridge's own objects.
	System string
	// Patience bounds the wait for the old controller to notice that a resource is paused, and for
	// the new one to be ready. Defaults to 10 minutes.
	Patience time.Duration
	// Stopped is set if the old provider does not run. Otherwise it has to show that it has noticed
	// each pause.
	Stopped bool
	// Tell is called with each step, for people. It may be nil.
	Tell func(resource, step string)
}

// fieldOwner is the field manager of changes to objects.
const fieldOwner = client.FieldOwner("landbridge-migrate")

// interval is the time between two looks at what is waited for.
const interval = 200 * time.Millisecond

// attempts bounds how often a step is repeated because others write at the same time.
const attempts = 20

// Step is the hand-over of one object.
type Step struct {
	// Old is the old resource, as it was when New was planned.
	Old Upjet
	// New is the manifest of the new resource. It is not used if the new resource exists.
	New importer.Manifest
	// Copies are the Secrets that the new resource needs in its namespace, by name.
	Copies map[string]Copy
}

func (h *HandOver) tell(o Upjet, step string) {
	if h.Tell != nil {
		h.Tell(o.Title(), step)
	}
}

// patience returns when a wait that begins now ends.
func (h *HandOver) patience() time.Time {
	if h.Patience == 0 {
		h.Patience = 10 * time.Minute
	}
	return time.Now().Add(h.Patience)
}

// Run hands objects over, or goes on with hand-overs that were interrupted. It changes nothing if
// one of them is not possible. No new resource is reconciled before all old ones are paused.
func (h *HandOver) Run(ctx context.Context, all []Step) error {
	if err := h.Check(ctx, all); err != nil {
		return err
	}
	for _, step := range []func(context.Context, Step) error{h.hold, h.apply, h.release, h.await, h.finish} {
		for _, s := range all {
			if err := step(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s.Old.Title(), err)
			}
		}
	}
	return nil
}

// errAgain means that another client has written meanwhile.
var errAgain = errors.New("other clients write to it all the time; repeat the command")

// again calls a step until no other client writes at the same time.
func again(step func() error) error {
	busy := func(err error) bool { return errors.Is(err, errAgain) || kerrors.IsConflict(err) }
	err := retry.OnError(wait.Backoff{Duration: interval / 10, Factor: 1, Steps: attempts}, busy, step)
	if busy(err) {
		return errAgain
	}
	return err
}

// get returns an object; nil if there is none.
func (h *HandOver) get(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(u.GroupVersionKind())
	err := h.Client.Get(ctx, client.ObjectKeyFromObject(u), out)
	if kerrors.IsNotFound(err) || apimeta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// marked returns the old resource as it is now, and its mark.
func (h *HandOver) marked(ctx context.Context, o Upjet) (*unstructured.Unstructured, *mark, error) {
	u, err := h.get(ctx, o.Unstructured)
	if err != nil {
		return nil, nil, err
	}
	if u == nil {
		return nil, nil, errors.New("it is gone")
	}
	k, err := markOf(u)
	return u, k, err
}

// Begun reports whether the new resource of an old one exists.
func (h *HandOver) Begun(ctx context.Context, o Upjet) (bool, error) {
	k, err := markOf(o.Unstructured)
	if err != nil {
		return false, err
	}
	return h.taken(ctx, o.Unstructured, k)
}

// hold pauses the old resource and makes it orphan its object, in one request, and waits until its
// controller has noticed.
func (h *HandOver) hold(ctx context.Context, s Step) error {
	held := false
	err := again(func() error {
		u, k, err := h.marked(ctx, s.Old)
		if err != nil {
			return err
		}
		if held, err = h.taken(ctx, u, k); err != nil || held {
			return err
		}
		if sumOf(u) != sumOf(s.Old.Unstructured) {
			return errors.New("it was changed while its object was looked at. Repeat the command")
		}
		if s.New.Resource == nil {
			return errors.New("its hand-over was undone meanwhile. Repeat the command")
		}
		if k == nil {
			k = newMark(u)
		}
		k.To = targetOf(s.New.Resource)
		k.hold(u)
		if err := k.write(u); err != nil {
			return err
		}
		if err := h.Client.Update(ctx, u, fieldOwner); err != nil {
			return err
		}
		// A field that the kind does not have is not stored.
		if deletion, policies := orphaning(u.Object["spec"].(map[string]any)); deletion != nil || policies != nil {
			return errors.New("its API server does not store the policies to orphan its object; its kind is too " +
				"old. Let Crossplane update its provider")
		}
		h.tell(s.Old, "paused, and will not destroy its object")
		return nil
	})
	if err != nil || held {
		return err
	}
	return h.noticed(ctx, s.Old)
}

// taken reports whether the new resource exists already.
func (h *HandOver) taken(ctx context.Context, old *unstructured.Unstructured, k *mark) (bool, error) {
	if k == nil {
		return false, nil
	}
	u, err := h.newOne(ctx, old, k)
	return u != nil, err
}

// newOne returns the new resource; nil if there is none. Another one of its name is an error.
func (h *HandOver) newOne(ctx context.Context, old *unstructured.Unstructured, k *mark) (*unstructured.Unstructured, error) {
	u, err := h.get(ctx, k.To.object())
	if err != nil || u == nil {
		return nil, err
	}
	if !isFrom(u, old) {
		return nil, fmt.Errorf("%s has no label %s: %s any more. If it has the object of this resource, set the "+
			"label; otherwise rename it", k.To, labelFrom, old.GetUID())
	}
	return u, nil
}

// noticed waits until the old controller has noticed the pause, and its last operation has ended.
func (h *HandOver) noticed(ctx context.Context, o Upjet) error {
	until := h.patience()
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		u, err := h.get(ctx, o.Unstructured)
		if err != nil {
			return false, err
		}
		if u == nil {
			return false, errors.New("it is gone")
		}
		running := conditionOf(u, "AsyncOperation")["reason"] == "Ongoing"
		paused := h.Stopped || conditionOf(u, "Synced")["reason"] == "ReconcilePaused"
		switch {
		case paused && !running:
			if sumOf(u) != sumOf(o.Unstructured) {
				return false, errors.New("it was changed while its object was looked at. Repeat the command")
			}
			return true, nil
		case time.Now().Before(until):
			return false, nil
		case running:
			return false, errors.New("an operation of the old provider runs on its object. Repeat the command when it has ended")
		}
		return false, errors.New("the old provider has not noticed that it is paused. If it does not run, give --old-stopped")
	})
}

// apply creates the new resource, paused, after the Secrets that it needs.
func (h *HandOver) apply(ctx context.Context, s Step) error {
	return again(func() error {
		old, k, err := h.held(ctx, s.Old)
		if err != nil {
			return err
		}
		if there, err := h.taken(ctx, old, k); err != nil || there {
			return err
		}
		if s.New.Resource == nil {
			return errors.New("the new resource is gone. Repeat the command")
		}
		for _, secret := range s.secrets(old) {
			if err := h.secret(ctx, secret, old); err != nil {
				return err
			}
		}
		for _, name := range sortedKeys(s.Copies) {
			if err := h.copy(ctx, name, s.Copies[name], s.New.Resource.GetNamespace(), old); err != nil {
				return err
			}
		}
		u := s.resource(old)
		if err := h.Client.Create(ctx, u, client.FieldValidation(metav1.FieldValidationStrict), fieldOwner); err != nil {
			if kerrors.IsAlreadyExists(err) {
				return errAgain
			}
			return err
		}
		h.tell(s.Old, fmt.Sprintf("%s created, paused", titleOf(u)))
		return nil
	})
}

// held returns the old resource and its mark, which must still be paused and orphan its object.
func (h *HandOver) held(ctx context.Context, o Upjet) (*unstructured.Unstructured, *mark, error) {
	u, k, err := h.marked(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	deletion, policies := orphaning(u.Object["spec"].(map[string]any))
	if k == nil || !meta.IsPaused(u) || deletion != nil || policies != nil {
		return nil, nil, errors.New("it is not paused any more, or would destroy its object: it was changed meanwhile. Repeat the command")
	}
	return u, k, nil
}

// release makes the new resource the owner of the connection Secret, and lets its controller
// reconcile it.
func (h *HandOver) release(ctx context.Context, s Step) error {
	return again(func() error {
		_, k, err := h.marked(ctx, s.Old)
		if err != nil {
			return err
		}
		if k == nil || k.Done {
			return nil
		}
		old, _, err := h.held(ctx, s.Old)
		if err != nil {
			return err
		}
		to, err := h.newOne(ctx, old, k)
		if err != nil {
			return err
		}
		if to == nil {
			return fmt.Errorf("%s is gone. Repeat the command", k.To)
		}
		secret, err := h.connection(ctx, old, to)
		if err != nil {
			return err
		}
		if err := h.passConnection(ctx, secret, old, to); err != nil {
			return err
		}
		if k.Paused {
			h.tell(s.Old, fmt.Sprintf("%s stays paused, as the old one was", titleOf(to)))
			return nil
		}
		if !meta.IsPaused(to) {
			return nil
		}
		meta.RemoveAnnotations(to, meta.AnnotationKeyReconciliationPaused)
		if err := h.Client.Update(ctx, to, fieldOwner); err != nil {
			return err
		}
		h.tell(s.Old, fmt.Sprintf("%s reconciles", titleOf(to)))
		return nil
	})
}

// await waits until the new resource is ready.
func (h *HandOver) await(ctx context.Context, s Step) error {
	until := h.patience()
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		old, err := h.get(ctx, s.Old.Unstructured)
		if err != nil {
			return false, err
		}
		if old == nil {
			return false, errors.New("it is gone")
		}
		k, err := markOf(old)
		if err != nil || k == nil || k.Done || k.Paused {
			return true, err
		}
		u, err := h.get(ctx, k.To.object())
		if err != nil {
			return false, err
		}
		if u == nil {
			return false, fmt.Errorf("%s is gone. Repeat the command", k.To)
		}
		policies, given, _ := unstructured.NestedSlice(u.Object, "spec", "managementPolicies")
		row := status.RowOf(u)
		if given && len(policies) == 0 {
			return true, nil // it is paused, as the old one was
		}
		if row.Ready == "True" && row.Synced == "True" {
			return true, nil
		}
		if time.Now().After(until) {
			return false, fmt.Errorf("%s is not ready: %s. Repeat the command when that is mended, or give --undo",
				k.To, strings.TrimSuffix(row.Message, "."))
		}
		return false, nil
	})
}

// finish marks the hand-over as ended.
func (h *HandOver) finish(ctx context.Context, s Step) error {
	return again(func() error {
		u, err := h.get(ctx, s.Old.Unstructured)
		if err != nil || u == nil {
			return err
		}
		k, err := markOf(u)
		if err != nil || k == nil || k.Done {
			return err
		}
		to, err := h.get(ctx, k.To.object())
		if err != nil {
			return err
		}
		if to == nil {
			return fmt.Errorf("%s is gone. Repeat the command", k.To)
		}
		k.Done, k.Generation = true, to.GetGeneration()
		if err := k.write(u); err != nil {
			return err
		}
		if err := h.Client.Update(ctx, u, fieldOwner); err != nil {
			return err
		}
		h.tell(s.Old, "handed over to "+k.To.String())
		return nil
	})
}
