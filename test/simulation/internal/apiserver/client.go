package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Process is a process that uses an API server. Objects are replaced and never changed.
type Process interface {
	// Call carries out a call: its effect may be refused, and its answer lost.
	Call(ctx context.Context, what string, effect func() error) error
	// Fence returns why the process may not write any more; nil if it may.
	Fence() error
	// Title is how calls name an object.
	Title(store.Key) string
	// Cached returns an object as the process knows it; nil if it knows none.
	Cached(store.Key) *unstructured.Unstructured
	// Stored returns an object of the API server; nil if there is none.
	Stored(store.Key) *unstructured.Unstructured
	// Update stores an object, or its status, and returns what is stored.
	Update(u *unstructured.Unstructured, status bool) (*unstructured.Unstructured, error)
	// Secrets accesses the Secrets of a namespace.
	Secrets(namespace string) typedcorev1.SecretInterface
	// StoredSecret returns a Secret of the API server; nil if there is none.
	StoredSecret(types.NamespacedName) *corev1.Secret
	// PutSecret stores a Secret.
	PutSecret(*corev1.Secret)
}

// NotFound is the error for an object that does not exist.
func NotFound(name string) error {
	return kerrors.NewNotFound(kschema.GroupResource{Resource: "objects"}, name)
}

// Conflict is the error for an object that has changed since it was read.
func Conflict(name string) error {
	return kerrors.NewConflict(kschema.GroupResource{Resource: "objects"}, name, fmt.Errorf("the object has been modified"))
}

// KeyOf returns the key of an object.
func KeyOf(u *unstructured.Unstructured) store.Key {
	return keyIn(u, client.ObjectKeyFromObject(u))
}

// keyIn returns the key of the object with a name that has the kind of another one.
func keyIn(u *unstructured.Unstructured, name types.NamespacedName) store.Key {
	gvk := u.GroupVersionKind()
	return store.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: name.Namespace, Name: name.Name}
}

// Decoded returns an object as an API server returns it: decoded from JSON.
func Decoded(u *unstructured.Unstructured) *unstructured.Unstructured {
	b, err := json.Marshal(u.Object)
	out := &unstructured.Unstructured{}
	if err == nil {
		err = out.UnmarshalJSON(b)
	}
	if err != nil {
		panic(err)
	}
	return out
}

// Cached is the client of a process: reads of objects come from its cache, those of Secrets do not.
type Cached struct {
	client.Client
	Process Process
}

// Get implements client.Reader.
func (c Cached) Get(ctx context.Context, name client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return Live{Process: c.Process}.Get(ctx, name, o, opts...)
	}
	found := c.Process.Cached(keyIn(u, name))
	if found == nil {
		return NotFound(name.Name)
	}
	*u = *found
	return nil
}

// Create implements client.Writer, for Secrets.
func (c Cached) Create(ctx context.Context, o client.Object, _ ...client.CreateOption) error {
	s := o.(*corev1.Secret)
	return replaced(s)(c.Process.Secrets(s.Namespace).Create(ctx, s, metav1.CreateOptions{}))
}

// Update implements client.Writer.
func (c Cached) Update(ctx context.Context, o client.Object, _ ...client.UpdateOption) error {
	if s, ok := o.(*corev1.Secret); ok {
		return replaced(s)(c.Process.Secrets(s.Namespace).Update(ctx, s, metav1.UpdateOptions{}))
	}
	return c.update(ctx, o.(*unstructured.Unstructured), false)
}

// replaced sets a Secret to what a call has returned.
func replaced(s *corev1.Secret) func(*corev1.Secret, error) error {
	return func(now *corev1.Secret, err error) error {
		if err == nil {
			*s = *now
		}
		return err
	}
}

func (c Cached) update(ctx context.Context, u *unstructured.Unstructured, status bool) error {
	what := "update "
	if status {
		what = "update status of "
	}
	return c.Process.Call(ctx, what+c.Process.Title(KeyOf(u)), func() error {
		if err := c.Process.Fence(); err != nil {
			return err
		}
		out, err := c.Process.Update(u, status)
		if err == nil {
			*u = *out.DeepCopy()
		}
		return err
	})
}

// Patch implements client.Writer, for Secrets.
func (c Cached) Patch(ctx context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) error {
	raw, err := patch.Data(o)
	if err != nil {
		return err
	}
	return c.Process.Call(ctx, "patch Secret "+o.GetName(), func() error {
		if err := c.Process.Fence(); err != nil {
			return err
		}
		old := c.Process.StoredSecret(client.ObjectKeyFromObject(o))
		if old == nil {
			return NotFound(o.GetName())
		}
		out := old.DeepCopy()
		if err := json.Unmarshal(raw, out); err != nil {
			return err
		}
		maps.DeleteFunc(out.Annotations, func(_, v string) bool { return v == "" }) // null in the patch
		c.Process.PutSecret(out)
		return nil
	})
}

// Status implements client.StatusClient.
func (c Cached) Status() client.SubResourceWriter { return statuses{c: c} }

type statuses struct {
	client.SubResourceWriter
	c Cached
}

// Update implements client.SubResourceWriter.
func (s statuses) Update(ctx context.Context, o client.Object, _ ...client.SubResourceUpdateOption) error {
	return s.c.update(ctx, o.(*unstructured.Unstructured), true)
}

// Live reads from the API server.
type Live struct {
	client.Reader
	Process Process
}

// Get implements client.Reader.
func (l Live) Get(ctx context.Context, name client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if s, ok := o.(*corev1.Secret); ok {
		return replaced(s)(l.Process.Secrets(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{}))
	}
	u := o.(*unstructured.Unstructured)
	k := keyIn(u, name)
	return l.Process.Call(ctx, "get "+l.Process.Title(k), func() error {
		found := l.Process.Stored(k)
		if found == nil {
			return NotFound(name.Name)
		}
		*u = *found.DeepCopy()
		return nil
	})
}
