package model

import (
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// Resource is the presentation of one resource type, data source, ephemeral resource or action in
// Kubernetes.
type Resource struct {
	// Mode is what Terraform has under the name.
	Mode Mode
	// Type is Terraform's name of the resource type.
	Type   string
	Schema *schema.Resource

	Group, Version, Kind, ListKind string
	Plural, Singular               string
	ShortNames, Categories         []string
	// Naming is where the names come from.
	Naming Naming
	// Dropped are the API versions that the kind no longer has.
	Dropped []string
	// Description of the kind. Defaults to that of the schema.
	Description string
	// Settings for values of objects.
	Settings Settings
	// Functions are those of the provider; nil if there are none.
	Functions *Functions
	// Triggers is set if resources have actions invoked by spec.actions: the provider has some.
	Triggers bool

	own   config.Names
	rules *rules
	// immutable is the number of immutable fields.
	immutable  int
	references []*Reference

	rootOnce     sync.Once
	root         *Type
	identityOnce sync.Once
	identity     *Type
}

// GroupVersionKind returns the kind of the custom resource.
func (r *Resource) GroupVersionKind() kschema.GroupVersionKind {
	return kschema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
}

// ListGroupVersionKind returns the kind by which controller-runtime's clients list custom
// resources. They take the name of the kind from it, without the suffix, and so it may differ from
// ListKind.
func (r *Resource) ListGroupVersionKind() kschema.GroupVersionKind {
	return r.GroupVersionKind().GroupVersion().WithKind(r.Kind + "List")
}

// GroupVersionResource returns the API path of the custom resource.
func (r *Resource) GroupVersionResource() kschema.GroupVersionResource {
	return kschema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Plural}
}

// CRDName returns the name of the CustomResourceDefinition.
func (r *Resource) CRDName() string { return r.Plural + "." + r.Group }

// Root returns the resource itself: an Object of all its attributes and blocks.
func (r *Resource) Root() *Type {
	r.rootOnce.Do(func() {
		r.root = blockType(r.Schema.Block, place{rules: r.rules, input: true, observed: true, root: r.Mode == Managed})
	})
	return r.root
}

// Identity returns the type of the resource's identity: an Object whose fields are Required where
// an import needs them. Nil when the type has no identity schema. Its numbers are presented as
// strings where the configured type of the field of the same name is string.
func (r *Resource) Identity() *Type {
	r.identityOnce.Do(func() {
		if r.Schema.Identity == nil {
			return
		}
		p := place{rules: &rules{}, input: true, observed: true}
		fields := make([]*Field, 0, len(r.Schema.Identity.Attributes))
		for name, a := range r.Schema.Identity.Attributes {
			typ := plainType(a.Type, p)
			r.rules.presentIdentity(typ, name)
			fields = append(fields, &Field{
				Name: name, Type: typ, Description: strings.TrimSpace(a.Description),
				Input: true, Observed: true, Required: a.RequiredForImport, Optional: a.OptionalForImport,
			})
		}
		t := r.Schema.Identity.ImpliedType()
		r.identity = &Type{Kind: Object, Cty: t, Object: newFields(fields, p), Absent: cty.NullVal(t)}
	})
	return r.identity
}

// find returns the field at a path of Terraform names, which skips elements of collections.
func (t *Type) find(path []string) *Field {
	if way, _ := t.trace(path); way != nil {
		return way[len(way)-1]
	}
	return nil
}

// Category is the category of all managed resources of Landbridge.
const Category = "landbridge"

// Categories of a provider's managed resources, as in the Crossplane Resource Model.
func categories(short string) []string { return []string{"crossplane", "managed", Category, short} }
