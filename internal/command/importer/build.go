package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Builder builds manifests of items, by Build or Stream.
type Builder struct {
	// Namespace is that of the custom resources, SystemNamespace that of stored instances.
	Namespace, SystemNamespace string
	// Observe restricts all resources to observing their objects.
	Observe bool
	// Taken reports whether there is a custom resource of that name already; nil for never.
	Taken func(*model.Resource, string) bool

	left []Left
	seen map[object]string // the origin of each
}

// object is a remote object.
type object struct {
	resource      *model.Resource
	configuration Configuration
	identity      string
}

// Manifest holds the Kubernetes objects to manage one remote object.
type Manifest struct {
	Origin   string
	Resource *unstructured.Unstructured
	// State is the stored instance, Inputs holds the sensitive values that the resource refers to;
	// each may be nil.
	State, Inputs *corev1.Secret
	// Parts are the Secrets with the content of a large State.
	Parts []*corev1.Secret
	// Observes is the reason why the resource only observes; empty if it does not, or if
	// Builder.Observe is set.
	Observes string
	// Changes are what the first reconcile would change of an object that another system manages.
	Changes []translate.Change
	// Notes are for people.
	Notes []string
	// Folder is the one that WriteDir writes Resource to. Defaults to that of resources.
	Folder string
}

// Result holds the manifests of all items, and the items without one.
type Result struct {
	Manifests []Manifest
	Left      []Left
}

func (b *Builder) leave(origin, reason string) {
	b.left = append(b.left, Left{Origin: origin, Reason: reason})
}

// Leave records an object that is not imported.
func (b *Builder) Leave(left ...Left) { b.left = append(b.left, left...) }

// take reports whether a draft is imported: not if its object is managed already.
func (b *Builder) take(ctx context.Context, d *draft) (bool, error) {
	if d.Provider.Owners != nil && (d.Declared == nil || !d.Declared.Taken) {
		owners, err := d.Provider.Owners(ctx, d.Resource)
		if err != nil {
			return false, err
		}
		if o, ok := b.owner(d, owners); ok {
			b.leave(d.Origin, fmt.Sprintf("it is managed by %s %s already", cmp.Or(o.Kind, d.Resource.Kind), o))
			return false, nil
		}
	}
	if d.found.Identity != cty.NilVal {
		key := object{d.Resource, d.Provider.Configuration, translate.CanonicalIdentity(d.found.Identity)}
		if first, ok := b.seen[key]; ok {
			b.leave(d.Origin, "it is the same object as "+first)
			return false, nil
		}
		if b.seen == nil {
			b.seen = map[object]string{}
		}
		b.seen[key] = d.Origin
	}
	if d.Name == "" {
		d.Name = externalName(d.Resource, d.found.State, d.found.Identity)
	}
	return true, nil
}

// owner returns who manages the object of a draft.
func (b *Builder) owner(d *draft, owners *discovery.Owners) (discovery.Owner, bool) {
	if d.found.Identity != cty.NilVal {
		if all := owners.Of(d.found.Identity); len(all) > 0 {
			return all[0], true
		}
		return discovery.Owner{}, false
	}
	name, _ := kubernetesName(d.Name)
	for _, o := range owners.Named(externalName(d.Resource, d.found.State, d.found.Identity)) {
		// The id of an object without an identity need not be unique.
		if d.Stored == nil || o.Namespace == b.namespace(d) && o.Name == name {
			return o, true
		}
	}
	return discovery.Owner{}, false
}

func (b *Builder) manifest(d *draft, name string) (Manifest, error) {
	m := Manifest{Origin: d.Origin, Notes: d.notes, Observes: d.why, Changes: d.changed}
	secret, namespace := name+"-inputs", b.namespace(d)
	var in translate.Inputs
	if d.Declared != nil {
		in = translate.Inputs{ForProvider: named(d.forProvider, secret).(map[string]any), Secrets: d.inputs}
	} else {
		in = translate.ForProvider(d.Resource, d.config, secret)
	}
	spec := map[string]any{"forProvider": in.ForProvider}
	if len(in.Secrets) > 0 {
		if d.Stored != nil || d.Declared != nil {
			m.Inputs = &corev1.Secret{
				TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
				ObjectMeta: metav1.ObjectMeta{Name: secret, Namespace: namespace},
				Data:       in.Secrets,
			}
		} else {
			for _, key := range sortedKeys(in.Secrets) {
				m.Notes = append(m.Notes, fmt.Sprintf("Sensitive: put the value of %s into the key %s of the Secret %s.", key, key, secret))
			}
		}
	}
	if d.Provider.Configuration != DefaultConfiguration {
		spec["providerConfigRef"] = map[string]any{"kind": d.Provider.Configuration.Kind, "name": d.Provider.Configuration.Name}
	}
	if i := d.importSpec(); i != nil {
		spec["import"] = i
	}
	lifecycle := map[string]any{}
	if d.found.Status == instance.Tainted {
		lifecycle["taintPolicy"] = crd.TaintKeep
		m.Notes = append(m.Notes, "Tainted: its creation failed or was interrupted, and Terraform would replace it. "+
			"With taintPolicy Keep it is kept.")
	}
	if d.found.CreateBeforeDestroy {
		lifecycle["createBeforeDestroy"] = true
	}
	if n := len(d.found.Deposed); n > 0 {
		what := "The state has a deposed object of it, which Terraform would destroy."
		if n > 1 {
			what = fmt.Sprintf("The state has %d deposed objects of it, which Terraform would destroy.", n)
		}
		m.Notes = append(m.Notes, what+` Nothing is destroyed until managementPolicies have Delete, as ["*"] does.`)
		spec["managementPolicies"] = []any{"Observe", "Create", "Update", "LateInitialize"}
	}
	if len(d.ignored) > 0 {
		var ignored []any
		for _, path := range translate.FieldPaths(d.Resource, d.ignored) {
			ignored = append(ignored, path)
			m.Notes = append(m.Notes, fmt.Sprintf("Sensitive in the state: %s is left out, and its differences are ignored.", path))
		}
		lifecycle["ignoreChanges"] = ignored
	}
	if len(lifecycle) > 0 {
		spec["lifecycle"] = lifecycle
	}
	if left := translate.FieldPaths(d.Resource, d.dropped()); len(left) > 0 && d.Declared == nil {
		m.Notes = append(m.Notes,
			fmt.Sprintf("Left out: %s. The state has values for it, but the configuration that changes nothing does "+
				"not need them, as for deprecated arguments. Add it to spec.forProvider if you manage it.",
				strings.Join(left, ", ")))
	}
	if b.Observe || d.why != "" {
		spec["managementPolicies"] = []any{"Observe"}
	}
	if d.why != "" {
		m.Notes = append(m.Notes, `Only observes, since `+d.why+`. Look at it, then set managementPolicies to ["*"].`)
	}

	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(d.Resource.GroupVersionKind())
	u.SetNamespace(namespace)
	u.SetName(name)
	m.Resource = u
	if d.Resource.Settings.Argument != nil {
		// The name is not in spec: without the annotation the object would be renamed.
		u.SetAnnotations(map[string]string{meta.AnnotationKeyExternalName: translate.ExternalName(d.Resource, d.found.State, d.found.Identity)})
	}
	if d.Stored == nil {
		return m, nil
	}
	// As the controller writes them: it loads a stored instance only with the finalizer, and if
	// that is lost it finds the object by the annotations.
	u.SetFinalizers([]string{xpmanaged.FinalizerName})
	annotations := map[string]string{}
	if id := translate.Identity(d.Resource, d.found.Identity); id != nil {
		raw, err := json.Marshal(id)
		if err != nil {
			return m, err
		}
		annotations[v1alpha1.AnnotationIdentity] = string(raw)
	}
	if n := externalName(d.Resource, d.found.State, d.found.Identity); n != "" {
		annotations[meta.AnnotationKeyExternalName] = n
	}
	if len(annotations) > 0 {
		u.SetAnnotations(annotations)
	}
	var err error
	m.State, m.Parts, err = b.state(d, name)
	return m, err
}

// importSpec returns spec.import; nil if neither an id nor an identity is known.
func (d *draft) importSpec() map[string]any {
	if d.Target.ID != "" && (d.Declared == nil || d.Stored == nil) {
		return map[string]any{"id": d.Target.ID}
	}
	if identity := translate.Identity(d.Resource, d.found.Identity); identity != nil {
		return map[string]any{"identity": identity}
	}
	return nil
}

// state returns the Secrets that the store would have written, without the annotation of a write,
// since users apply the manifest. The resource has no UID yet. Without one, the controller reads
// the object before it relies on the record.
func (b *Builder) state(d *draft, name string) (secret *corev1.Secret, parts []*corev1.Secret, _ error) {
	key := store.Key{Group: d.Resource.Group, Kind: d.Resource.Kind, Namespace: b.namespace(d), Name: name}
	secret, parts, err := store.Manifests(key, d.Resource.Schema, store.Record{Instance: *d.Stored})
	if err != nil {
		return nil, nil, err
	}
	for _, s := range append(parts, secret) {
		s.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}
		s.Namespace = b.SystemNamespace
	}
	return secret, parts, nil
}

// namespace returns the namespace of a draft's custom resource.
func (b *Builder) namespace(d *draft) string { return cmp.Or(d.Namespace, b.Namespace) }

// named returns a spec whose references to the Secret with inputs have its name.
func named(in any, secret string) any {
	switch in := in.(type) {
	case map[string]any:
		out := make(map[string]any, len(in))
		for k, v := range in {
			ref, ok := v.(map[string]any)
			if ok && strings.HasSuffix(k, "SecretRef") && ref["name"] == inputsPlaceholder {
				v = map[string]any{"name": secret, "key": ref["key"]}
			} else {
				v = named(v, secret)
			}
			out[k] = v
		}
		return out
	case []any:
		out := make([]any, len(in))
		for i, v := range in {
			out[i] = named(v, secret)
		}
		return out
	}
	return in
}
