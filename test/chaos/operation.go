package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

var (
	getOptions    = metav1.GetOptions{}
	listOptions   = metav1.ListOptions{}
	deleteOptions = metav1.DeleteOptions{}
	// Unknown fields are errors instead of being dropped.
	patchOptions = metav1.PatchOptions{FieldValidation: "Strict"}
)

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it has only strings and numbers
	}
	return b
}

func randomText() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// operation is an operation on a resource.
type operation struct {
	name   string
	weight int
	// steps is the number of user operations that it counts as; 0 if the user is not involved.
	steps int
	// there is set when the operation needs the resource to exist; otherwise it must not exist.
	there bool
	// settled is set when the slot has to be well.
	settled bool
	fits    func(*slot) bool
	do      func(context.Context, *slot) error
}

func every(*slot) bool { return true }

// Names of operations that the agenda requests.
const (
	opCreate     = "create"
	opUpdate     = "update"
	opReplace    = "replace"
	opDelete     = "delete"
	opRecreate   = "delete and create"
	opTaint      = "taint"
	opLoseStored = "stored state lost"
)

var operations = []operation{
	{name: opCreate, weight: 1, steps: 1, fits: every, do: func(ctx context.Context, s *slot) error { return s.create(ctx) }},
	{name: opUpdate, weight: 40, steps: 1, there: true, fits: every, do: func(ctx context.Context, s *slot) error {
		s.kind.change(s, s.spec)
		return s.apply(ctx)
	}},
	{
		name: opReplace, weight: 16, steps: 1, there: true, fits: func(s *slot) bool { return s.kind.replace != nil },
		do: func(ctx context.Context, s *slot) error {
			s.kind.replace(s, s.spec)
			s.destroyed.Store(true)
			return s.apply(ctx)
		},
	},
	{name: opDelete, weight: 8, steps: 1, there: true, fits: every, do: func(ctx context.Context, s *slot) error { return s.delete(ctx) }},
	{name: opRecreate, weight: 10, steps: 2, there: true, fits: every, do: func(ctx context.Context, s *slot) error {
		if err := s.delete(ctx); err != nil {
			return err
		}
		return s.create(ctx)
	}},
	{name: opTaint, weight: 8, steps: 1, there: true,
		// A tainted object is replaced like any other: with createBeforeDestroy two would have the
		// same name.
		fits: func(s *slot) bool { return !s.createFirst && !s.kind.module },
		do: func(ctx context.Context, s *slot) error {
			s.taint = randomText()
			s.destroyed.Store(true)
			return s.annotate(ctx, v1alpha1.AnnotationTaint, s.taint)
		}},
	{
		name: "taint and untaint", weight: 4, steps: 1, there: true, settled: true,
		fits: func(s *slot) bool { return !s.createFirst && !s.kind.module },
		do: func(ctx context.Context, s *slot) error {
			s.taint = randomText()
			return s.patch(ctx, m{"metadata": m{"annotations": m{v1alpha1.AnnotationTaint: s.taint, v1alpha1.AnnotationUntaint: s.taint}}})
		},
	},
	{name: "retry", weight: 3, steps: 1, there: true, fits: every, do: func(ctx context.Context, s *slot) error {
		return s.annotate(ctx, v1alpha1.AnnotationRetry, randomText())
	}},

	// Changes that the user does not make.
	{
		name: "object changed by hand", weight: 4, there: true, settled: true,
		fits: func(s *slot) bool { return s.kind.name != "Credential" }, do: func(ctx context.Context, s *slot) error {
			fields := map[string]m{
				"Thing": {"size": 4711}, "Datastore": {"capacity_gib": 4711}, "Ticket": {"body": "by hand"},
				"Alias": {"target": "by hand"}, "IDImport": {"text": "by hand"}, "Depot": {"capacity_gib": 4711},
			}
			return s.cloud.change(ctx, s.kind.collection, s.object, fields[s.kind.name])
		},
	},
	{name: "object removed by hand", weight: 3, there: true, settled: true, fits: every, do: func(ctx context.Context, s *slot) error {
		s.destroyed.Store(true)
		return s.cloud.remove(ctx, s.kind.collection, s.object)
	}},
	{name: "status lost", weight: 4, there: true, fits: every, do: func(ctx context.Context, s *slot) error {
		return s.patch(ctx, m{"status": nil}, "status")
	}},
	{
		name: opLoseStored, weight: 4, there: true, settled: true,
		fits: func(s *slot) bool { return s.recognizable() }, do: func(ctx context.Context, s *slot) error {
			return s.try(ctx, func(ctx context.Context) error {
				return ignoreNotFound(s.client.Resource(secretsGVR).Namespace(system).Delete(ctx, store.SecretName(s.key()), deleteOptions))
			})
		},
	},
	{
		name: "stored state restored", weight: 6, there: true, settled: true,
		fits: func(s *slot) bool { return s.backup != nil && s.recognizable() && s.seen().GetUID() == s.backupOf },
		do: func(ctx context.Context, s *slot) error {
			return s.try(ctx, func(ctx context.Context) error {
				u, err := s.stored(ctx)
				if err != nil {
					return ignoreNotFound(err)
				}
				u.Object["data"] = s.backup
				_, err = s.client.Resource(secretsGVR).Namespace(system).Update(ctx, u, metav1.UpdateOptions{})
				return ignoreNotFound(err)
			})
		},
	},
	{
		name: "connection secret lost", weight: 3, there: true, settled: true,
		fits: func(s *slot) bool { return s.kind.name == "Credential" }, do: func(ctx context.Context, s *slot) error {
			return s.try(ctx, func(ctx context.Context) error {
				return ignoreNotFound(s.client.Resource(secretsGVR).Namespace(namespace).Delete(ctx, s.label+"-connection", deleteOptions))
			})
		},
	},
	{name: "conflicting writes", weight: 6, there: true, fits: every, do: func(ctx context.Context, s *slot) error {
		s.kind.change(s, s.spec)
		if err := s.apply(ctx); err != nil {
			return err
		}
		for range 8 {
			label := m{"metadata": m{"labels": m{"chaos": randomText()}}}
			if err := s.patch(ctx, label); err != nil {
				return err
			}
			_, err := s.client.Resource(secretsGVR).Namespace(system).
				Patch(ctx, store.SecretName(s.key()), types.MergePatchType, encode(label), patchOptions)
			if ignoreNotFound(err) != nil && !unavailable(err) {
				return err
			}
			pause(ctx, 15*time.Millisecond)
		}
		return nil
	}},
}

func ignoreNotFound(err error) error {
	if kerrors.IsNotFound(err) {
		return nil
	}
	return err
}

// recognizable reports whether the object can be found again by the annotations on the resource.
func (s *slot) recognizable() bool {
	u := s.seen()
	return u != nil && s.written(u)
}

// demand is an operation that must be done now.
type demand struct {
	name string
	fits func(*slot) bool
	left chan struct{} // one element for each slot that should do it
}

// live does one operation after the other until users must stop.
func (s *slot) live(ctx context.Context) error {
	for !s.stopped() && ctx.Err() == nil {
		op := s.choose()
		if op == nil {
			pause(ctx, 40*time.Millisecond)
			continue
		}
		// Most users wait for the result of their operation.
		patient := op.settled || s.random.IntN(5) > 0
		if op.settled && !s.wait(ctx, 10*time.Second) {
			continue
		}
		s.mu.Lock()
		if (s.spec != nil) != op.there || !op.fits(s) {
			s.mu.Unlock()
			continue
		}
		s.note("%s: %s", s.label, op.name)
		if op.steps == 0 {
			s.count(op.name)
		}
		s.world.operations.Add(int64(op.steps))
		err := op.do(ctx, s)
		s.mu.Unlock()
		if err != nil && !errors.Is(err, errGivenUp) {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("%s: %s: %w", s.label, op.name, err)
		}
		if patient {
			if !s.wait(ctx, 20*time.Second) {
				s.note("%s: %s: not waited for any more", s.label, op.name)
			}
		}
		pause(ctx, time.Duration(s.random.IntN(200))*time.Millisecond)
	}
	return nil
}

func (w *world) stopped() bool {
	select {
	case <-w.stop:
		return true
	default:
		return false
	}
}

// choose returns the next operation; nil if there is none now.
func (s *slot) choose() *operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.demand.Load(); d != nil && d.fits(s) {
		for i := range operations {
			op := &operations[i]
			name := d.name
			if name == opCreate && s.spec != nil {
				name = opRecreate
			}
			if op.name == name && op.there == (s.spec != nil) && op.fits(s) {
				select {
				case <-d.left:
					return op
				default:
				}
			}
		}
	}
	if s.operations.Load() >= s.allowed.Load() {
		return nil
	}
	total := 0
	for _, op := range operations {
		if op.there == (s.spec != nil) && op.fits(s) {
			total += op.weight
		}
	}
	n := s.random.IntN(total)
	for i := range operations {
		op := &operations[i]
		if op.there != (s.spec != nil) || !op.fits(s) {
			continue
		}
		if n -= op.weight; n < 0 {
			return op
		}
	}
	return nil
}

// create creates the custom resource as soon as an earlier one of the name is gone.
func (s *slot) create(ctx context.Context) error {
	s.spec = s.kind.first(s)
	s.taint = ""
	s.destroyed.Store(true)
	if s.kind.name == "Credential" {
		s.secrets = s.newSecrets()
		if err := s.writeSecrets(ctx); err != nil {
			return err
		}
	}
	client := s.client.Resource(gvr(s.form, s.kind)).Namespace(namespace)
	end := time.Now().Add(30 * time.Second)
	err := s.try(ctx, func(ctx context.Context) error {
		u, err := client.Create(ctx, s.manifest(), metav1.CreateOptions{FieldValidation: "Strict"})
		if kerrors.IsAlreadyExists(err) {
			if u, err = client.Get(ctx, s.label, getOptions); kerrors.IsNotFound(err) {
				return errNotYet
			}
			if err == nil && u.GetDeletionTimestamp() != nil {
				if time.Now().After(end) || s.stopped() {
					return errGivenUp
				}
				return errNotYet
			}
		}
		if err == nil {
			s.generation = u.GetGeneration()
		}
		return err
	})
	if errors.Is(err, errGivenUp) {
		s.spec = nil // it is tried again later
	}
	return err
}

func (s *slot) writeSecrets(ctx context.Context) error {
	values := m{}
	for k, v := range s.secrets {
		values[k] = v
	}
	return s.writeSecret(ctx, namespace, s.label, values)
}

// apply changes the custom resource to the user's spec.
func (s *slot) apply(ctx context.Context) error {
	if s.kind.name == "Credential" {
		if err := s.writeSecrets(ctx); err != nil {
			return err
		}
	}
	return s.patch(ctx, m{"spec": m{"forProvider": s.spec}})
}

func (s *slot) delete(ctx context.Context) error {
	s.spec = nil
	s.destroyed.Store(true)
	return s.try(ctx, func(ctx context.Context) error {
		return ignoreNotFound(s.client.Resource(gvr(s.form, s.kind)).Namespace(namespace).Delete(ctx, s.label, deleteOptions))
	})
}

func (s *slot) annotate(ctx context.Context, annotation, value string) error {
	return s.patch(ctx, m{"metadata": m{"annotations": m{annotation: value}}})
}

// list reads all custom resources of a form's kind from the API server.
func (w *world) list(ctx context.Context, form string, k *kind) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	err := w.try(ctx, func(ctx context.Context) error {
		l, err := w.client.Resource(gvr(form, k)).List(ctx, listOptions)
		if err == nil {
			out = l.Items
		}
		return err
	})
	return out, err
}
