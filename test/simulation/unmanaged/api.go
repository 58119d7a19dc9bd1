package unmanaged

import (
	"context"
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
	"github.com/landbridge-io/landbridge/test/simulation/internal/apiserver"
)

// Objects of the API server are replaced and never changed, so they are shared without copies.

func (w *world) nextVersion() string {
	w.version++
	return strconv.Itoa(w.version)
}

// put makes an object what is stored, unless it is deleted and nothing holds it.
func (w *world) put(u *unstructured.Unstructured) {
	u = apiserver.Decoded(u)
	u.SetResourceVersion(w.nextVersion())
	k := apiserver.KeyOf(u)
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

// update is an update of an object, or of its status.
func (w *world) update(u *unstructured.Unstructured, status bool) (*unstructured.Unstructured, error) {
	k := apiserver.KeyOf(u)
	old := w.objects[k]
	switch {
	case old == nil:
		return nil, apiserver.NotFound(u.GetName())
	case u.GetResourceVersion() != old.GetResourceVersion() || u.GetUID() != old.GetUID():
		return nil, apiserver.Conflict(u.GetName())
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

// Title implements apiserver.Process.
func (p *process) Title(k store.Key) string { return named(k) }

// Cached implements apiserver.Process.
func (p *process) Cached(k store.Key) *unstructured.Unstructured { return p.cache[k] }

// Stored implements apiserver.Process.
func (p *process) Stored(k store.Key) *unstructured.Unstructured { return p.w.objects[k] }

// Update implements apiserver.Process.
func (p *process) Update(u *unstructured.Unstructured, status bool) (*unstructured.Unstructured, error) {
	return p.w.update(u, status)
}

// Secrets implements apiserver.Process.
func (p *process) Secrets(namespace string) typedcorev1.SecretInterface {
	return secrets{p: p, namespace: namespace}
}

// StoredSecret implements apiserver.Process.
func (p *process) StoredSecret(k types.NamespacedName) *corev1.Secret { return p.w.secrets[k] }

// PutSecret implements apiserver.Process.
func (p *process) PutSecret(s *corev1.Secret) {
	s.ResourceVersion = p.w.nextVersion()
	p.w.secrets[client.ObjectKeyFromObject(s)] = s
	p.w.seenSecret(s)
}

// objectClient is a controller's client.
type objectClient struct {
	apiserver.Cached
	p *process
}

// Delete implements client.Writer, for objects whose time has passed.
func (c objectClient) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	var options client.DeleteOptions
	options.ApplyOptions(opts)
	u := o.(*unstructured.Unstructured)
	return c.p.Call(ctx, "delete "+u.GetKind()+" "+u.GetName(), func() error {
		if err := c.p.Fence(); err != nil {
			return err
		}
		k := apiserver.KeyOf(u)
		old := c.p.w.objects[k]
		if p := options.Preconditions; old == nil ||
			p != nil && (p.UID != nil && *p.UID != old.GetUID() ||
				p.ResourceVersion != nil && *p.ResourceVersion != old.GetResourceVersion()) {
			return apiserver.Conflict(u.GetName())
		}
		c.p.w.delete(k)
		return nil
	})
}

// shown is the name of a Secret in traces: without what is hashed.
func shown(name string) string { return name[:min(len(name), 12)] }

// secrets accesses the Secrets of a namespace.
type secrets struct {
	typedcorev1.SecretInterface
	p         *process
	namespace string
}

func (c secrets) key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: c.namespace, Name: name}
}

// Get implements typedcorev1.SecretInterface.
func (c secrets) Get(ctx context.Context, name string, _ metav1.GetOptions) (out *corev1.Secret, err error) {
	err = c.p.Call(ctx, "get Secret "+shown(name), func() error {
		found := c.p.w.secrets[c.key(name)]
		if found == nil {
			return apiserver.NotFound(name)
		}
		out = found.DeepCopy()
		return nil
	})
	return out, err
}

// Create implements typedcorev1.SecretInterface.
func (c secrets) Create(ctx context.Context, s *corev1.Secret, _ metav1.CreateOptions) (*corev1.Secret, error) {
	return c.put(ctx, "create", s)
}

// Update implements typedcorev1.SecretInterface.
func (c secrets) Update(ctx context.Context, s *corev1.Secret, _ metav1.UpdateOptions) (*corev1.Secret, error) {
	return c.put(ctx, "update", s)
}

// put creates or updates a Secret. Landbridge's own may be updated without the lease, as their
// versions are checked.
func (c secrets) put(ctx context.Context, what string, s *corev1.Secret) (out *corev1.Secret, err error) {
	err = c.p.Call(ctx, what+" Secret "+shown(s.Name), func() error {
		if err := c.p.Fence(); err != nil && (what == "create" || c.namespace != systemNamespace) {
			return err
		}
		old := c.p.w.secrets[c.key(s.Name)]
		switch {
		case what == "create" && old != nil:
			return kerrors.NewAlreadyExists(kschema.GroupResource{Resource: "secrets"}, s.Name)
		case what == "update" && old == nil:
			return apiserver.NotFound(s.Name)
		case what == "update" && s.ResourceVersion != "" && s.ResourceVersion != old.ResourceVersion:
			return apiserver.Conflict(s.Name)
		}
		made := s.DeepCopy()
		made.Namespace = c.namespace
		c.p.PutSecret(made)
		out = made.DeepCopy()
		return nil
	})
	return out, err
}

// Delete implements typedcorev1.SecretInterface.
func (c secrets) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	return c.p.Call(ctx, "delete Secret "+shown(name), func() error {
		if err := c.p.Fence(); err != nil {
			return err
		}
		old := c.p.w.secrets[c.key(name)]
		switch {
		case old == nil:
			return apiserver.NotFound(name)
		case *o.Preconditions.ResourceVersion != old.ResourceVersion:
			return apiserver.Conflict(name)
		}
		delete(c.p.w.secrets, c.key(name))
		return nil
	})
}
