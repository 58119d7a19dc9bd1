package simulation

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/test/simulation/internal/apiserver"
)

// api is the simulated API server. Objects are replaced and never changed, so they are shared
// without copies.
type api struct {
	w         *world
	version   int64
	resources map[store.Key]*unstructured.Unstructured
	secrets   map[types.NamespacedName]*corev1.Secret
	// log has all events of custom resources. Caches follow it at their own pace.
	log []watchEvent
	// limit is the size of the largest Secret that is accepted, in bytes.
	limit int
	// tables are the versions of the table of provider configurations, and leases those by which
	// replicas see each other.
	tables []*corev1.Secret
	leases map[string]*coordinationv1.Lease
}

// lost is set for a stored instance that was deleted: the other fields are then unset. So they are
// if by, the shard of one that was stored, or configuration is set.
type watchEvent struct {
	key  store.Key
	lost bool
	by   *store.Shard
	// account is that of the configuration. split is set if its resources are to be divided kind by
	// kind.
	configuration string
	account       ownership.Account
	split         bool
	// released is when the brake was released.
	released time.Time
	// access is set instead of them if the cloud has several accounts.
	access *access

	old, new *unstructured.Unstructured // old is nil for created objects, new for deleted ones
}

// systemNamespace has the Secrets of stored instances.
const systemNamespace = "landbridge"

func newAPI(w *world) *api {
	return &api{
		w: w, resources: map[store.Key]*unstructured.Unstructured{},
		secrets: map[types.NamespacedName]*corev1.Secret{}, limit: maxObject,
		leases: map[string]*coordinationv1.Lease{},
	}
}

func (a *api) nextVersion() string {
	a.version++
	return strconv.FormatInt(a.version, 10)
}

// put makes an object what is stored.
func (a *api) put(u *unstructured.Unstructured) {
	k := apiserver.KeyOf(u)
	u.SetResourceVersion(a.nextVersion())
	old := a.resources[k]
	if u.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) == 0 {
		a.w.check.rounds(old, nil)
		a.w.actions.collect(u)
		delete(a.resources, k)
		a.log = append(a.log, watchEvent{key: k, old: old})
		a.w.users.gone(old)
		return
	}
	a.w.check.rounds(old, u)
	a.resources[k] = u
	a.w.users.wrote(u)
	a.log = append(a.log, watchEvent{key: k, old: old, new: u})
}

// createResource creates a custom resource as a user does.
func (a *api) createResource(u *unstructured.Unstructured) {
	u.SetGeneration(1)
	u.SetCreationTimestamp(metav1.NewTime(a.w.now().UTC()))
	u.SetFinalizers([]string{v1alpha1.FinalizerCreated})
	u.Object["status"] = map[string]any{"observedGeneration": int64(-1)} // the CRD's default
	// As an API server returns it: decoded from JSON.
	u = apiserver.Decoded(u)
	a.put(u)
}

// edit changes a custom resource as a user does.
func (a *api) edit(k store.Key, change func(*unstructured.Unstructured)) {
	old := a.resources[k]
	if old == nil {
		return
	}
	u := old.DeepCopy()
	change(u)
	if !equality.Semantic.DeepEqual(old.Object["spec"], u.Object["spec"]) {
		u.SetGeneration(old.GetGeneration() + 1)
	}
	a.put(u)
}

// deleteResource begins the deletion of a custom resource.
func (a *api) deleteResource(k store.Key) {
	a.edit(k, func(u *unstructured.Unstructured) {
		now := metav1.NewTime(a.w.now().UTC())
		u.SetDeletionTimestamp(&now)
		u.SetGeneration(u.GetGeneration() + 1)
	})
}

// update is an update of the object, or of its status.
func (a *api) update(u *unstructured.Unstructured, status bool) (*unstructured.Unstructured, error) {
	old := a.resources[apiserver.KeyOf(u)]
	switch {
	case old == nil:
		return nil, apiserver.NotFound(u.GetName())
	case u.GetResourceVersion() != old.GetResourceVersion() || u.GetUID() != old.GetUID():
		return nil, apiserver.Conflict(u.GetName())
	}
	out := apiserver.Decoded(u)
	if status {
		out.Object["metadata"], out.Object["spec"] = old.DeepCopy().Object["metadata"], old.Object["spec"]
	} else {
		delete(out.Object, "status")
		if status, ok := old.Object["status"]; ok {
			out.Object["status"] = status
		}
		out.SetGeneration(old.GetGeneration())
		out.SetDeletionTimestamp(old.GetDeletionTimestamp())
		if !equality.Semantic.DeepEqual(old.Object["spec"], out.Object["spec"]) {
			out.SetGeneration(old.GetGeneration() + 1)
		}
	}
	out.SetResourceVersion(old.GetResourceVersion())
	if equality.Semantic.DeepEqual(old.Object, out.Object) {
		return old, nil
	}
	a.put(out)
	return out, nil
}

// client returns the client of a process.
func (p *process) client() resourceClient {
	return resourceClient{apiserver.Cached{Process: p}, p}
}

// live returns what reads from the API server.
func (p *process) live() apiserver.Live { return apiserver.Live{Process: p} }

// Title implements apiserver.Process.
func (p *process) Title(k store.Key) string { return k.Name + " (" + k.Kind + ")" }

// Stored implements apiserver.Process.
func (p *process) Stored(k store.Key) *unstructured.Unstructured {
	if isAction(k.Kind) {
		return p.w.actions.objects[k.Name]
	}
	return p.w.api.resources[k]
}

// Update implements apiserver.Process.
func (p *process) Update(u *unstructured.Unstructured, status bool) (*unstructured.Unstructured, error) {
	if isAction(u.GetKind()) {
		return p.w.actions.update(u)
	}
	out, err := p.w.api.update(u, status)
	if err == nil {
		p.w.cloud.told(p, out)
	}
	return out, err
}

// Secrets implements apiserver.Process.
func (p *process) Secrets(namespace string) typedcorev1.SecretInterface {
	return secretClient{p: p, namespace: namespace}
}

// StoredSecret implements apiserver.Process.
func (p *process) StoredSecret(k types.NamespacedName) *corev1.Secret { return p.w.api.secrets[k] }

// PutSecret implements apiserver.Process.
func (p *process) PutSecret(s *corev1.Secret) { p.w.api.putSecret(s) }

// resourceClient is a controller's client.
type resourceClient struct {
	apiserver.Cached
	p *process
}

// List implements client.Reader.
func (c resourceClient) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	out := list.(*unstructured.UnstructuredList)
	for _, k := range c.p.w.keys {
		if u := c.p.Cached(k); u != nil && k.Kind+"List" == out.GetKind() {
			out.Items = append(out.Items, *u)
		}
	}
	return nil
}

// Create implements client.Writer, for connection Secrets and actions.
func (c resourceClient) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	if u, ok := o.(*unstructured.Unstructured); ok {
		return c.invoke(ctx, u)
	}
	return c.Cached.Create(ctx, o, opts...)
}

// secretClient accesses the Secrets of one namespace.
type secretClient struct {
	typedcorev1.SecretInterface
	p         *process
	namespace string
}

func (c secretClient) key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: c.namespace, Name: name}
}

// hashed matches the hash in the name of a stored instance, and what is random in the names of its
// parts.
var hashed = regexp.MustCompile(`\.[0-9a-f]{20}(\.[0-9a-f]{16})?`)

// shown is the name of a Secret in traces: without its hash, and for a part with the part's number.
func shown(name string) string { return hashed.ReplaceAllString(name, "") }

// maxObject is the largest Secret that an API server stores, in bytes.
const maxObject = 1 << 20

func (a *api) putSecret(s *corev1.Secret) {
	s.ResourceVersion = a.nextVersion()
	k := types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
	a.secrets[k] = s
	if s.Namespace == systemNamespace && isHead(s) {
		a.w.check.stored(s)
		if k, ok := store.KeyOf(s); ok && a.w.shards > 0 {
			by := store.ShardOf(s)
			a.log = append(a.log, watchEvent{key: k, by: &by})
		}
	}
}

// isHead reports whether a Secret is that of a stored instance, and not one of its parts.
func isHead(s *corev1.Secret) bool { return string(s.Type) == v1alpha1.SecretTypeInstance }

// inspector reads stored instances from the outside.
type inspector struct {
	typedcorev1.SecretInterface
	a *api
}

// Get implements typedcorev1.SecretInterface.
func (i inspector) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Secret, error) {
	if s := i.a.secrets[types.NamespacedName{Namespace: systemNamespace, Name: name}]; s != nil {
		return s, nil
	}
	return nil, apiserver.NotFound(name)
}

// content returns the stored instance of a Secret, together with what is in its parts.
func (a *api) content(s *corev1.Secret) []byte {
	k, ok := store.KeyOf(s)
	out, whole := s.Data["instance.json"]
	if !whole && ok {
		var err error
		if out, err = (&store.Secrets{Client: inspector{a: a}}).Encoded(context.Background(), k); err != nil {
			return nil // no operation has begun, or a part was lost
		}
	}
	if a.w.users.isPair(k) {
		out = expanded(out)
	}
	return out
}

// expanded returns JSON together with what is encoded and compressed in it, such as the state of a
// module.
func expanded(b []byte) []byte {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return b
	}
	out := slices.Clone(b)
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		case string:
			inner, err := base64.StdEncoding.DecodeString(v)
			if err != nil {
				return
			}
			if r, err := gzip.NewReader(bytes.NewReader(inner)); err == nil {
				if plain, err := io.ReadAll(r); err == nil {
					inner = plain
				}
			}
			out = append(out, expanded(inner)...)
		}
	}
	walk(v)
	return out
}

// tooLarge returns the error for a Secret that is too large; nil if it is not.
func (a *api) tooLarge(s *corev1.Secret) error {
	n := 0
	for k, v := range s.Data {
		n += len(k) + len(v)
	}
	if n <= a.limit || s.Namespace != systemNamespace {
		return nil
	}
	a.w.check.refused(s)
	if s.ResourceVersion == "" {
		return kerrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d bytes", a.limit))
	}
	return kerrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, s.Name, field.ErrorList{field.TooLong(field.NewPath("data"), "", a.limit)})
}

func (a *api) deleteSecret(s *corev1.Secret) {
	delete(a.secrets, types.NamespacedName{Namespace: s.Namespace, Name: s.Name})
	if k, ok := store.KeyOf(s); ok && isHead(s) {
		a.log = append(a.log, watchEvent{key: k, lost: true})
	}
}

// Get implements typedcorev1.SecretInterface.
func (c secretClient) Get(ctx context.Context, name string, _ metav1.GetOptions) (*corev1.Secret, error) {
	var out *corev1.Secret
	err := c.p.Call(ctx, "get Secret "+shown(name), func() error {
		s := c.p.w.api.secrets[c.key(name)]
		if s == nil {
			return apiserver.NotFound(name)
		}
		out = s.DeepCopy()
		return nil
	})
	c.p.knows[name] = c.p.knows[name] || err == nil
	return out, err
}

// Create implements typedcorev1.SecretInterface.
func (c secretClient) Create(ctx context.Context, s *corev1.Secret, _ metav1.CreateOptions) (*corev1.Secret, error) {
	sent := c.p.w.now()
	var out *corev1.Secret
	err := c.p.Call(ctx, "create Secret "+shown(s.Name), func() error {
		if err := c.p.Fence(); err != nil && !store.Unreferenced(ctx) {
			return err
		}
		a := c.p.w.api
		if a.secrets[c.key(s.Name)] != nil {
			return kerrors.NewAlreadyExists(schema.GroupResource{Resource: "secrets"}, s.Name)
		}
		made := s.DeepCopy()
		made.Namespace, made.UID = c.namespace, types.UID("secret-"+a.nextVersion())
		if err := a.tooLarge(made); err != nil {
			return err
		}
		a.w.check.creates(c.p, made, sent)
		a.putSecret(made)
		out = made.DeepCopy()
		return nil
	})
	c.p.knows[s.Name] = c.p.knows[s.Name] || err == nil
	return out, err
}

// Update implements typedcorev1.SecretInterface.
func (c secretClient) Update(ctx context.Context, s *corev1.Secret, _ metav1.UpdateOptions) (*corev1.Secret, error) {
	var out *corev1.Secret
	err := c.p.Call(ctx, "update Secret "+shown(s.Name), func() error {
		if err := c.p.Fence(); err != nil && !store.Concludes(ctx) {
			return err
		}
		a := c.p.w.api
		old := a.secrets[c.key(s.Name)]
		switch {
		case old == nil:
			return apiserver.NotFound(s.Name)
		case s.ResourceVersion != "" && s.ResourceVersion != old.ResourceVersion:
			return apiserver.Conflict(s.Name)
		}
		made := s.DeepCopy()
		made.Namespace, made.UID = c.namespace, old.UID
		if err := a.tooLarge(made); err != nil {
			return err
		}
		a.putSecret(made)
		out = made.DeepCopy()
		return nil
	})
	c.p.knows[s.Name] = c.p.knows[s.Name] || err == nil
	return out, err
}

// Delete implements typedcorev1.SecretInterface.
func (c secretClient) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	return c.p.Call(ctx, "delete Secret "+shown(name), func() error {
		if err := c.p.Fence(); err != nil && !store.Unreferenced(ctx) {
			return err
		}
		a := c.p.w.api
		old := a.secrets[c.key(name)]
		switch {
		case old == nil:
			return apiserver.NotFound(name)
		case o.Preconditions != nil && o.Preconditions.ResourceVersion != nil && *o.Preconditions.ResourceVersion != old.ResourceVersion,
			o.Preconditions != nil && o.Preconditions.UID != nil && *o.Preconditions.UID != old.UID:
			return apiserver.Conflict(name)
		}
		a.deleteSecret(old)
		return nil
	})
}

// secretNames returns the names of all Secrets, in an order that does not depend on what is random
// in them.
func (a *api) secretNames() []types.NamespacedName {
	return slices.SortedFunc(maps.Keys(a.secrets), func(x, y types.NamespacedName) int {
		xVersion, yVersion := a.secrets[x].ResourceVersion, a.secrets[y].ResourceVersion
		return cmp.Or(
			strings.Compare(x.Namespace, y.Namespace), strings.Compare(shown(x.Name), shown(y.Name)),
			cmp.Compare(len(xVersion), len(yVersion)), strings.Compare(xVersion, yVersion),
		)
	})
}

// List implements typedcorev1.SecretInterface.
func (c secretClient) List(ctx context.Context, o metav1.ListOptions) (*corev1.SecretList, error) {
	selector, err := labels.Parse(o.LabelSelector)
	if err != nil {
		return nil, err
	}
	out := &corev1.SecretList{}
	ctx = context.WithValue(ctx, detailKey{}, o.LabelSelector)
	err = c.p.Call(ctx, "list Secrets", func() error {
		all := c.p.w.api.secrets
		for _, k := range c.p.w.api.secretNames() {
			if k.Namespace == c.namespace && selector.Matches(labels.Set(all[k].Labels)) {
				out.Items = append(out.Items, *all[k].DeepCopy())
			}
		}
		return nil
	})
	return out, err
}
