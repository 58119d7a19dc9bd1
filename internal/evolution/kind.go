package evolution

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Form is the form of a value in JSON.
type Form string

// The forms of values. Any is any value. SecretRef is a reference to a key of a Secret. Hidden is a
// sensitive field of status, whose value is only in Secrets.
const (
	String    Form = "string"
	Number    Form = "number"
	Bool      Form = "boolean"
	Any       Form = "any"
	List      Form = "list"
	Set       Form = "set"
	Map       Form = "map"
	Object    Form = "object"
	SecretRef Form = "reference to a Secret"
	Hidden    Form = "in Secrets only"
)

// Node is the type of a value.
type Node struct {
	Form Form
	// Element is the type of the elements of a List, Set or Map.
	Element *Node
	// Fields are the fields of an Object, by their names in custom resources.
	Fields map[string]*Field
	// MinItems and MaxItems limit the size of a List or Set; 0 is unlimited.
	MinItems, MaxItems int64
	// Nullable is set if null is a value.
	Nullable bool
}

// String returns the type in words: list of string.
func (n *Node) String() string {
	switch n.Form {
	case List, Set, Map:
		return string(n.Form) + " of " + n.Element.String()
	default:
		return string(n.Form)
	}
}

func (n *Node) primitive() bool { return n.Form == String || n.Form == Number || n.Form == Bool }

// list reports whether values are lists in JSON.
func (n *Node) list() bool { return n.Form == List || n.Form == Set }

// Field is a field of an Object.
type Field struct {
	*Node
	Required, Deprecated bool
	// Former are the known names of the field in earlier versions.
	Former []string
}

// The parts of a custom resource that come from a provider's schema. spec.initProvider has the
// fields of spec.forProvider.
const (
	ForProvider    = "spec.forProvider"
	InitProvider   = "spec.initProvider"
	ImportIdentity = "spec.import.identity"
	AtProvider     = "status.atProvider"
	Identity       = "status.identity"
	// ConfigSpec is the only part of a ProviderConfig.
	ConfigSpec = "spec"
)

// parts in the order in which they are reported.
var parts = []string{ConfigSpec, ForProvider, ImportIdentity, AtProvider, Identity}

func isStatus(part string) bool { return strings.HasPrefix(part, "status.") }

// Kind is a kind in one API version.
type Kind struct {
	// ResourceType is Terraform's name; empty for the provider's configuration.
	ResourceType                 string
	Group, Version, Kind, Plural string
	// Parts are Objects by their paths: ForProvider and so on. Parts that the kind does not have
	// are missing.
	Parts map[string]*Node
	// Exact is set if the kind was made from a model, so that the following fields are known.
	Exact bool
	// SchemaVersion and IdentityVersion are those of Terraform's schemas; -1 without an identity.
	SchemaVersion, IdentityVersion int64
	// IdentityType is the type of Terraform's identities; NilType without an identity.
	IdentityType cty.Type
	// ExternalName is the attribute that is configured as external name, if any.
	ExternalName string
}

// fromModel returns the kinds of a provider by resource type; that of the provider's configuration
// is at "". It is an error if one cannot be a CustomResourceDefinition.
func fromModel(p *model.Provider) (map[string]*Kind, error) {
	out := make(map[string]*Kind, len(p.Resources)+1)
	config, err := FromConfig(p)
	if err != nil {
		return nil, err
	}
	out[""] = config
	for t, r := range p.Resources {
		if out[t], err = FromResource(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// FromConfig returns the kind of a provider's configuration.
func FromConfig(p *model.Provider) (*Kind, error) {
	k, err := FromDefinition(crd.ProviderConfig(p)[0], p.Version)
	if err != nil {
		return nil, err
	}
	k.Exact, k.SchemaVersion = true, p.Schema.ConfigVersion
	refine(k.Parts[ConfigSpec], p.Config, false)
	return k, nil
}

// FromResource returns the kind of a resource type.
func FromResource(r *model.Resource) (*Kind, error) {
	d, err := crd.Resource(r)
	if err != nil {
		return nil, err
	}
	k, err := FromDefinition(d, r.Version)
	if err != nil {
		return nil, err
	}
	k.Exact, k.SchemaVersion = true, r.Schema.Version
	if f := r.Settings.Attribute; f != nil {
		k.ExternalName = f.Name
	}
	if r.Identity() != nil {
		k.IdentityVersion, k.IdentityType = r.Schema.Identity.Version, r.Schema.IdentityType()
	}
	for part, n := range k.Parts {
		t := r.Root()
		if part == ImportIdentity || part == Identity {
			t = r.Identity()
		}
		refine(n, t, isStatus(part))
	}
	return k, nil
}

// refine adds the facts that only the model has. Nodes whose form differs from the model are not
// changed.
func refine(n *Node, t *model.Type, status bool) {
	switch {
	case n.Form == Object && t.Singleton:
		refine(n, t.Element, status)
	case n.list() && t.Element != nil:
		if t.Kind == model.Set {
			n.Form = Set
		}
		refine(n.Element, t.Element, status)
	case n.Form == Map && t.Element != nil:
		refine(n.Element, t.Element, status)
	case n.Form == Object && t.Object != nil:
		for _, f := range t.Object.All {
			name := f.JSONName
			if !status {
				name = f.InputName()
				if r := f.Reference; r != nil {
					for _, beside := range []string{r.Ref, r.Selector} {
						if x := n.Fields[beside]; x != nil {
							x.Former = former(f, beside)
						}
					}
				}
			}
			made := n.Fields[name]
			switch {
			case made == nil && status && f.Secret():
				n.Fields[name] = &Field{Node: &Node{Form: Hidden}, Former: former(f, name)}
				continue
			case made == nil || !status && !f.Input:
				continue
			}
			made.Required, made.Deprecated = f.Required, f.Deprecated
			made.Former = former(f, name)
			if made.Form != SecretRef {
				refine(made.Node, f.Type, status)
			}
		}
	}
}

// former returns the former names of a field. These include its natural name if it has another one.
func former(f *model.Field, name string) []string {
	behind, ok := strings.CutPrefix(name, f.JSONName) // the suffix of a reference to a Secret or another resource
	if !ok {
		return nil
	}
	var out []string
	for _, n := range append(slices.Clone(f.FormerNames), model.FieldName(f.Name)) {
		if n += behind; n != name && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
