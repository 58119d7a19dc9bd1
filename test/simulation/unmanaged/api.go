package unmanaged

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Objects of the API server are replaced and never changed, so they are shared without copies.

func keyOf(gvk kschema.GroupVersionKind, name types.NamespacedName) store.Key {
	return store.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: name.Namespace, Name: name.Name}
}

func notFound(name string) error {
	return kerrors.NewNotFound(kschema.GroupResource{Resource: "objects"}, name)
}

func conflict(name string) error {
	return kerrors.NewConflict(kschema.GroupResource{Resource: "objects"}, name, fmt.Errorf("the object has been modified"))
}

func (w *world) nextVersion() string {
	w.version++
	return strconv.Itoa(w.version)
}

// put makes an object what is stored, unless it is deleted and nothing holds it.
func (w *world) put(u *unstructured.Unstructured) {
	u = decoded(u)
	u.SetResourceVersion(w.nextVersion())
	k := keyOf(u.GroupVersionKind(), client.ObjectKeyFromObject(u))
	if u.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) == 0 {
		w.note("%s is gone", named(k))
		delete(w.objects, k)
		w.log = append(w.log, event{key: k})
		return
	}
	w.objects[k] = u
	w.log = append(w.log, event{k, u})
	w.seen(u)
}

// collect removes the Secrets of objects that are gone, as Kubernetes does.
func (w *world) collect() {
	maps.DeleteFunc(w.secrets, func(_ types.NamespacedName, s *corev1.Secret) bool {
		owner := metav1.GetControllerOf(s)
		return owner != nil && w.object(string(owner.UID)) == nil
	})
}

// decoded returns an object as an API server returns it: decoded from JSON.
func decoded(u *unstructured.Unstructured) *unstructured.Unstructured {
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

// update is an update of an object, or of its status.
func (w *world) update(u *unstructured.Unstructured, status bool) (*unstructured.Unstructured, error) {
	k := keyOf(u.GroupVersionKind(), client.ObjectKeyFromObject(u))
	old := w.objects[k]
	switch {
	case old == nil:
		return nil, notFound(u.GetName())
	case u.GetResourceVersion() != old.GetResourceVersion() || u.GetUID() != old.GetUID():
		return nil, conflict(u.GetName())
	}
	out := old.DeepCopy()
	if status {
		out.Object["status"] = u.DeepCopy().Object["status"]
	} else {
		out.SetFinalizers(u.GetFinalizers())
		out.SetAnnotations(u.GetAnnotations())
	}
	if !equality.Semantic.DeepEqual(old.Object, out.Object) {
		w.put(out)
	}
	if now := w.objects[k]; now != nil {
		return now, nil
	}
	return out, nil
}

// cached is the client of a process: reads of objects come from its cache, those of Secrets do not.
type cached struct {
	client.Client
	p *process
}

// Get implements client.Reader.
func (c cached) Get(ctx context.Context, name client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return live{p: c.p}.Get(ctx, name, o, opts...)
	}
	found := c.p.cache[keyOf(u.GroupVersionKind(), name)]
	if found == nil {
		return notFound(name.Name)
	}
	*u = *found
	return nil
}

// Update implements client.Writer.
func (c cached) Update(ctx context.Context, o client.Object, _ ...client.UpdateOption) error {
	if s, ok := o.(*corev1.Secret); ok {
		return c.p.putSecret(ctx, "update", s)
	}
	return c.write(ctx, o.(*unstructured.Unstructured), false)
}

func (c cached) write(ctx context.Context, u *unstructured.Unstructured, status bool) error {
	what := "update"
	if status {
		what = "update status of"
	}
	return c.p.call(ctx, what+" "+u.GetKind()+" "+u.GetName(), func() error {
		if err := c.p.fence(); err != nil {
			return err
		}
		out, err := c.p.w.update(u, status)
		if err == nil {
			*u = *out.DeepCopy()
		}
		return err
	})
}

// Create implements client.Writer, for Secrets.
func (c cached) Create(ctx context.Context, o client.Object, _ ...client.CreateOption) error {
	return c.p.putSecret(ctx, "create", o.(*corev1.Secret))
}

// Patch implements client.Writer, for Secrets.
func (c cached) Patch(ctx context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) error {
	raw, err := patch.Data(o)
	if err != nil {
		return err
	}
	return c.p.call(ctx, "patch Secret "+o.GetName(), func() error {
		if err := c.p.fence(); err != nil {
			return err
		}
		old := c.p.w.secrets[client.ObjectKeyFromObject(o)]
		if old == nil {
			return notFound(o.GetName())
		}
		out := old.DeepCopy()
		if err := json.Unmarshal(raw, out); err != nil {
			return err
		}
		maps.DeleteFunc(out.Annotations, func(_, v string) bool { return v == "" })
		c.p.w.storeSecret(out)
		return nil
	})
}

// Delete implements client.Writer, for objects whose time has passed.
func (c cached) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	var options client.DeleteOptions
	options.ApplyOptions(opts)
	u := o.(*unstructured.Unstructured)
	return c.p.call(ctx, "delete "+u.GetKind()+" "+u.GetName(), func() error {
		if err := c.p.fence(); err != nil {
			return err
		}
		k := keyOf(u.GroupVersionKind(), client.ObjectKeyFromObject(u))
		old := c.p.w.objects[k]
		if p := options.Preconditions; old == nil ||
			p != nil && (p.UID != nil && *p.UID != old.GetUID() ||
				p.ResourceVersion != nil && *p.ResourceVersion != old.GetResourceVersion()) {
			return conflict(u.GetName())
		}
		c.p.w.delete(k)
		return nil
	})
}

// Status implements client.StatusClient.
func (c cached) Status() client.SubResourceWriter { return statuses{c: c} }

type statuses struct {
	client.SubResourceWriter
	c cached
}

// Update implements client.SubResourceWriter.
func (s statuses) Update(ctx context.Context, o client.Object, _ ...client.SubResourceUpdateOption) error {
	return s.c.write(ctx, o.(*unstructured.Unstructured), true)
}

// live reads from the API server.
type live struct {
	client.Reader
	p *process
}

// Get implements client.Reader.
func (r live) Get(ctx context.Context, name client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if s, ok := o.(*corev1.Secret); ok {
		found, err := r.p.getSecret(ctx, name)
		if err == nil {
			*s = *found
		}
		return err
	}
	u := o.(*unstructured.Unstructured)
	k := keyOf(u.GroupVersionKind(), name)
	return r.p.call(ctx, "get "+named(k), func() error {
		found := r.p.w.objects[k]
		if found == nil {
			return notFound(name.Name)
		}
		*u = *found.DeepCopy()
		return nil
	})
}

func (p *process) getSecret(ctx context.Context, name types.NamespacedName) (out *corev1.Secret, err error) {
	err = p.call(ctx, "get Secret "+shown(name.Name), func() error {
		found := p.w.secrets[name]
		if found == nil {
			return notFound(name.Name)
		}
		out = found.DeepCopy()
		return nil
	})
	return out, err
}

// shown is the name of a Secret in traces: without what is hashed.
func shown(name string) string { return name[:min(len(name), 12)] }

func (w *world) storeSecret(s *corev1.Secret) {
	s.ResourceVersion = w.nextVersion()
	w.secrets[client.ObjectKeyFromObject(s)] = s
	w.seenSecret(s)
}

// putSecret creates or updates a Secret. Landbridge's own may be updated without the lease, as
// their versions are checked.
func (p *process) putSecret(ctx context.Context, what string, s *corev1.Secret) error {
	return p.call(ctx, what+" Secret "+shown(s.Name), func() error {
		if err := p.fence(); err != nil && (what == "create" || s.Namespace != systemNamespace) {
			return err
		}
		old := p.w.secrets[client.ObjectKeyFromObject(s)]
		switch {
		case what == "create" && old != nil:
			return kerrors.NewAlreadyExists(kschema.GroupResource{Resource: "secrets"}, s.Name)
		case what == "update" && old == nil:
			return notFound(s.Name)
		case what == "update" && s.ResourceVersion != "" && s.ResourceVersion != old.ResourceVersion:
			return conflict(s.Name)
		}
		made := s.DeepCopy()
		p.w.storeSecret(made)
		*s = *made.DeepCopy()
		return nil
	})
}

// leaseSecrets accesses the Secrets of Landbridge's namespace.
type leaseSecrets struct {
	typedcorev1.SecretInterface
	p *process
}

// Get implements typedcorev1.SecretInterface.
func (l leaseSecrets) Get(ctx context.Context, name string, _ metav1.GetOptions) (*corev1.Secret, error) {
	return l.p.getSecret(ctx, types.NamespacedName{Namespace: systemNamespace, Name: name})
}

// Create implements typedcorev1.SecretInterface.
func (l leaseSecrets) Create(ctx context.Context, s *corev1.Secret, _ metav1.CreateOptions) (*corev1.Secret, error) {
	return l.put(ctx, "create", s)
}

// Update implements typedcorev1.SecretInterface.
func (l leaseSecrets) Update(ctx context.Context, s *corev1.Secret, _ metav1.UpdateOptions) (*corev1.Secret, error) {
	return l.put(ctx, "update", s)
}

func (l leaseSecrets) put(ctx context.Context, what string, s *corev1.Secret) (*corev1.Secret, error) {
	s = s.DeepCopy()
	s.Namespace = systemNamespace
	return s, l.p.putSecret(ctx, what, s)
}

// Delete implements typedcorev1.SecretInterface.
func (l leaseSecrets) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	return l.p.call(ctx, "delete Secret "+shown(name), func() error {
		if err := l.p.fence(); err != nil {
			return err
		}
		k := types.NamespacedName{Namespace: systemNamespace, Name: name}
		old := l.p.w.secrets[k]
		switch {
		case old == nil:
			return notFound(name)
		case *o.Preconditions.ResourceVersion != old.ResourceVersion:
			return conflict(name)
		}
		delete(l.p.w.secrets, k)
		return nil
	})
}
