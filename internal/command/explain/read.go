package explain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
)

// program is the name of the controller.
const program = "landbridge"

// maxObjects bounds the objects of a snapshot.
const maxObjects = 200

// Reader takes snapshots.
type Reader struct {
	client client.Client
	// System is the namespace of the controller.
	System string
}

// NewReader returns a reader of a cluster. It does not connect yet.
func NewReader(config *rest.Config, system string) (*Reader, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // a chain takes a few dozen requests
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, coordinationv1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	return &Reader{client: c, System: system}, nil
}

// Read takes a snapshot for an object of a kind. It is an error if the object does not exist, or
// cannot be read.
func (r *Reader) Read(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*Snapshot, error) {
	s := &Snapshot{
		Subject: Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: namespace, Name: name}, Owners: map[string]string{},
		Types: map[string]string{}, References: map[string]map[string][]string{}, System: r.System,
	}
	subject := link{Key: s.Subject, version: gvk.Version}
	if err := r.read(ctx, s, subject); err != nil {
		return nil, err
	}
	if s.find(s.Subject) == nil {
		return nil, kerrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: strings.ToLower(gvk.Kind)}, name)
	}
	visited := map[string]bool{of(subject): true}
	// A link may need another object to be known: that of a provider, to name the configurations of
	// a module's instance.
	for again := true; again && len(s.Objects) < maxObjects; {
		again = false
		for _, u := range slices.Clone(s.Objects) {
			if err := r.readOwner(ctx, s, u); err != nil {
				return nil, err
			}
			for _, l := range s.links(u) {
				if visited[of(l)] {
					continue
				}
				visited[of(l)], again = true, true
				if err := r.read(ctx, s, l); err != nil {
					s.Unread = append(s.Unread, Unread{l.Key, err.Error()})
				}
			}
		}
	}
	r.readEvents(ctx, s)
	r.readLeases(ctx, s)
	r.readShards(ctx, s)
	s.At = time.Now().UTC().Truncate(time.Second)
	return s, ctx.Err()
}

// of identifies a link.
func of(l link) string { return fmt.Sprint(l.Key, l.labels) }

// read adds the object of a link, or those that it selects. It is no error if there is none.
func (r *Reader) read(ctx context.Context, s *Snapshot, l link) error {
	if l.version == "" {
		mapping, err := r.client.RESTMapper().RESTMapping(schema.GroupKind{Group: l.Group, Kind: l.Kind})
		if meta.IsNoMatchError(err) {
			return nil
		}
		if err != nil {
			return err
		}
		l.version = mapping.GroupVersionKind.Version
	}
	gvk := schema.GroupVersionKind{Group: l.Group, Version: l.version, Kind: l.Kind}
	if l.Name == "" {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(l.Kind + "List"))
		err := r.client.List(ctx, list, client.InNamespace(l.Namespace), client.MatchingLabels(l.labels), client.Limit(20))
		for i := range list.Items {
			if s.find(keyOf(&list.Items[i])) == nil {
				s.Objects = append(s.Objects, &list.Items[i])
			}
		}
		return absent(err)
	}
	key := client.ObjectKey{Namespace: l.Namespace, Name: l.Name}
	if l.Group == "" {
		// Values of Secrets and ConfigMaps are not needed.
		o := &metav1.PartialObjectMetadata{}
		o.SetGroupVersionKind(gvk)
		err := r.client.Get(ctx, key, o)
		if err == nil {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(gvk)
			u.SetNamespace(o.Namespace)
			u.SetName(o.Name)
			s.Objects = append(s.Objects, u)
		}
		return absent(err)
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	if err := r.client.Get(ctx, key, u); err != nil {
		return absent(err)
	}
	u.SetManagedFields(nil)
	s.Objects = append(s.Objects, u)
	return nil
}

func absent(err error) error {
	if kerrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil
	}
	return err
}

// mayList returns no error where a kind may not be listed, or is gone.
func mayList(err error) error {
	if kerrors.IsForbidden(err) {
		return nil
	}
	return absent(err)
}

// readOwner adds what serves the kind of an object. Without the permission to read CRDs, it is the
// TerraformProvider that has the name of the group, if that is one of those.
func (r *Reader) readOwner(ctx context.Context, s *Snapshot, u *unstructured.Unstructured) error {
	k := keyOf(u)
	name := k.Kind + "." + k.Group
	if _, known := s.Owners[name]; known || k.Group == "" || k.Group == landbridgeGroup {
		return nil
	}
	mapping, err := r.client.RESTMapper().RESTMapping(schema.GroupKind{Group: k.Group, Kind: k.Kind})
	if err != nil {
		return err
	}
	crd := &metav1.PartialObjectMetadata{}
	crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	err = r.client.Get(ctx, client.ObjectKey{Name: mapping.Resource.Resource + "." + k.Group}, crd)
	switch {
	case kerrors.IsForbidden(err):
		group := strings.TrimPrefix(k.Group, string(s.modeOf(k))+".")
		s.Owners[name], _ = strings.CutSuffix(group, "."+landbridgeGroup)
	case err != nil:
		return err
	default:
		s.Owners[name] = crd.Labels[v1alpha1.LabelProvider]
		if resourceType := crd.Annotations[v1alpha1.AnnotationResourceType]; resourceType != "" {
			s.Types[name] = resourceType
		}
		var targets map[string][]string
		if json.Unmarshal([]byte(crd.Annotations[v1alpha1.AnnotationReferences]), &targets) == nil {
			s.References[name] = targets
		}
	}
	return nil
}

// readEvents adds the events of the subject. Without the permission there are none.
func (r *Reader) readEvents(ctx context.Context, s *Snapshot) {
	namespace := s.Subject.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	list := &corev1.EventList{}
	uid := string(s.find(s.Subject).GetUID())
	if r.client.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{"involvedObject.uid": uid}) == nil {
		for i := range list.Items {
			list.Items[i].ManagedFields = nil
		}
		s.Events = list.Items
	}
}

// readLeases adds the Leases of the controller's replicas.
func (r *Reader) readLeases(ctx context.Context, s *Snapshot) {
	list := &coordinationv1.LeaseList{}
	switch err := r.client.List(ctx, list, client.InNamespace(r.System)); {
	case errors.Is(err, context.Canceled):
	case kerrors.IsForbidden(err):
		s.LeasesUnread = fmt.Sprintf("Whether it runs is not known: you may not list Leases in namespace %s.", r.System)
	case err != nil:
		s.LeasesUnread = "Whether it runs is not known: " + err.Error()
	}
	for i := range list.Items {
		l := &list.Items[i]
		if strings.HasSuffix(l.Name, "."+landbridgeGroup) {
			l.ManagedFields = nil
			s.Leases = append(s.Leases, *l)
		}
	}
}

// readShards adds the table of shards, if replicas share the work. It has no secrets in it: of
// accounts it has hashes, which are not needed.
func (r *Reader) readShards(ctx context.Context, s *Snapshot) {
	if !slices.ContainsFunc(s.Leases, func(l coordinationv1.Lease) bool { _, ok := sharding.NumberOf(l.Name); return ok }) {
		return
	}
	secret := &corev1.Secret{}
	name, t := sharding.TableName(program), shard.Table{}
	err := r.client.Get(ctx, client.ObjectKey{Namespace: r.System, Name: name}, secret)
	if err == nil {
		t, err = sharding.TableOf(secret, func(name string) (*corev1.Secret, error) {
			part := &corev1.Secret{}
			return part, r.client.Get(ctx, client.ObjectKey{Namespace: r.System, Name: name}, part)
		})
	}
	switch {
	case kerrors.IsNotFound(err):
	case kerrors.IsForbidden(err):
		s.ShardsUnread = fmt.Sprintf("Which shard it belongs to is not known: you may not get the Secret %s in namespace %s.", name, r.System)
	case err != nil:
		s.ShardsUnread = "Which shard it belongs to is not known: " + err.Error()
	default:
		for at, p := range t.Configurations {
			p.Account = shard.Account{}
			t.Configurations[at] = p
		}
		s.Shards = &t
	}
}
