package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Cluster accesses the stored instances of a cluster, and the custom resources that they belong to.
type Cluster struct {
	client.Client
	// Stored are the stored instances.
	Stored *store.Secrets
	// System is the namespace of the stored instances.
	System string

	served *status.Client
}

// Open returns the cluster of a client configuration. system is the namespace of Landbridge's own
// objects. It does not connect yet.
func Open(config *rest.Config, system string) (*Cluster, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{} // the API server warns of Crossplane's finalizer
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	secrets, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	served, err := status.NewClient(config)
	if err != nil {
		return nil, err
	}
	return &Cluster{Client: c, Stored: &store.Secrets{Client: secrets.Secrets(system)}, System: system, served: served}, nil
}

// Kind is a kind of managed resource that a cluster serves.
type Kind struct {
	status.Kind
	// Type is the Terraform resource type; empty if the cluster does not tell.
	Type string
	// Provider is the address of the type's provider, such as
	// registry.terraform.io/hashicorp/random. For a provider that is installed by path, or a
	// program that is made for one provider, it is made of its name.
	Provider string
	// TerraformProvider serves the kind. It is empty for the kinds of modules and of programs that
	// are made for one provider.
	TerraformProvider string
	// Module is set for the kind of a TerraformModule.
	Module bool
}

// Object returns a custom resource of the kind without content.
func (k Kind) Object(namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kschema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind.Kind})
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// Key returns the key of a custom resource of the kind.
func (k Kind) Key(namespace, name string) store.Key {
	return store.Key{Group: k.Group, Kind: k.Kind.Kind, Namespace: namespace, Name: name}
}

// Kinds are the kinds of managed resources that a cluster serves.
type Kinds []Kind

// Find returns the kind that a user names.
func (all Kinds) Find(name string) (Kind, error) {
	plain := make([]status.Kind, len(all))
	for i, k := range all {
		plain[i] = k.Kind
	}
	found, err := status.Find(plain, name)
	if err != nil {
		return Kind{}, err
	}
	return all[slices.IndexFunc(all, func(k Kind) bool { return k.String() == found.String() })], nil
}

// Of returns the kind of a stored instance.
func (all Kinds) Of(k store.Key) (Kind, bool) {
	i := slices.IndexFunc(all, func(x Kind) bool { return x.Group == k.Group && x.Kind.Kind == k.Kind })
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}

// Kinds returns the kinds of managed resources that the cluster serves.
func (c *Cluster) Kinds(ctx context.Context) (Kinds, error) {
	served, err := c.served.Kinds()
	if err != nil {
		return nil, err
	}
	crds := &metav1.PartialObjectMetadataList{}
	crds.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	if err := c.List(ctx, crds); err != nil {
		return nil, fmt.Errorf("cannot determine the resource types of kinds: %w", err)
	}
	byName := map[string]metav1.PartialObjectMetadata{}
	for _, d := range crds.Items {
		byName[d.Name] = d
	}
	providers := &v1alpha1.TerraformProviderList{}
	// Programs that are made for one provider serve kinds in clusters without TerraformProviders.
	if err := c.List(ctx, providers); err != nil && !kerrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("cannot determine the providers of kinds: %w", err)
	}
	sources := map[string]string{}
	for _, p := range providers.Items {
		sources[p.Name] = p.Spec.Source
		if in := p.Status.Installed; in != nil && in.Source != "" {
			sources[p.Name] = in.Source
		}
	}
	out := make(Kinds, len(served))
	for i, k := range served {
		d := byName[k.Resource+"."+k.Group]
		owner := d.Labels[v1alpha1.LabelProvider]
		out[i] = Kind{Kind: k, Type: d.Annotations[v1alpha1.AnnotationResourceType], Module: kinds.IsModuleOwner(owner)}
		if source, ok := sources[owner]; ok {
			out[i].TerraformProvider, out[i].Provider = owner, address(source)
		} else {
			short, _, _ := strings.Cut(k.Group, ".")
			out[i].Provider = address(short)
		}
	}
	return out, nil
}

// address returns the address of a source. For the path of a binary, it is made of the provider's
// name.
func address(source string) string {
	if strings.ContainsAny(source, `\`) || filepath.IsAbs(source) || strings.HasPrefix(source, ".") {
		name, _ := install.ParseBinaryName(source)
		source = cmp.Or(name, filepath.Base(source))
	}
	a, err := install.ParseAddress(source)
	if err != nil {
		return "registry.terraform.io/hashicorp/" + source
	}
	return a.String()
}

// Selection selects custom resources and their stored instances.
type Selection struct {
	// Namespace is that of the resources; empty for all namespaces.
	Namespace string
	// Items are kinds and resources; nil for all.
	Items []Item
}

// Item is a kind or, with a name, one resource.
type Item struct {
	Kind Kind
	Name string
}

// Select reads arguments of the form KIND or KIND/NAME.
func (all Kinds) Select(namespace string, args []string) (Selection, error) {
	out := Selection{Namespace: namespace}
	for _, arg := range args {
		kind, name, named := strings.Cut(arg, "/")
		if named && name == "" {
			return out, fmt.Errorf("%s names no resource; give KIND/NAME", arg)
		}
		k, err := all.Find(kind)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, Item{Kind: k, Name: name})
	}
	return out, nil
}

// Matches reports whether the instance of a key is selected.
func (s Selection) Matches(k store.Key) bool {
	if s.Namespace != "" && s.Namespace != k.Namespace {
		return false
	}
	return s.Items == nil || slices.ContainsFunc(s.Items, func(i Item) bool {
		return i.Kind.Group == k.Group && i.Kind.Kind.Kind == k.Kind && (i.Name == "" || i.Name == k.Name)
	})
}

// Title returns a key for people, such as thing.examplecloud.landbridge.io team-a/web.
func Title(k store.Key) string {
	return strings.ToLower(k.Kind) + "." + k.Group + " " + strings.TrimPrefix(k.Namespace+"/"+k.Name, "/")
}

// Load returns the stored instance of a key, with raw values.
func (c *Cluster) Load(ctx context.Context, k store.Key) (store.Record, error) {
	return c.Stored.Load(ctx, k, store.Verbatim)
}
