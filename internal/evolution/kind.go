package evolution

import (
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Form is what JSON a value is.
type Form string

// The forms of values. Any is whatever the user gives. SecretRef is a reference to a key of a Secret;
// Hidden stands where status would have a value that is sensitive, and that is only in Secrets.
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
	// Element is the type of what a List, Set or Map holds.
	Element *Node
	// Fields are those of an Object, by the names users write.
	Fields map[string]*Field
	// MinItems and MaxItems bound a List or Set; 0 is no bound.
	MinItems, MaxItems int64
	// Nullable: null is a value.
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
	// Former are names that the field had in an earlier version, for certain.
	Former []string
}

// The parts of a custom resource that come from a provider's schema. spec.initProvider has the fields
// of spec.forProvider.
const (
	ForProvider    = "spec.forProvider"
	InitProvider   = "spec.initProvider"
	ImportIdentity = "spec.import.identity"
	AtProvider     = "status.atProvider"
	Identity       = "status.identity"
	// ConfigSpec is the only part of a ProviderConfig.
	ConfigSpec = "spec"
)

// parts in the order in which they are told of.
var parts = []string{ConfigSpec, ForProvider, ImportIdentity, AtProvider, Identity}

func isStatus(part string) bool { return strings.HasPrefix(part, "status.") }

// Kind is a kind in one API version.
type Kind struct {
	// ResourceType is Terraform's name; empty for the provider's configuration.
	ResourceType                 string
	Group, Version, Kind, Plural string
	// Parts are Objects by where they are: ForProvider and so on. A part that the kind does not have is missing.
	Parts map[string]*Node
	// Exact says that the kind was made from a model, and that what follows is known.
	Exact bool
	// SchemaVersion and IdentityVersion are those of Terraform's schemas; -1 without an identity.
	SchemaVersion, IdentityVersion int64
	// ExternalName is the attribute whose value is the external name, where that is configured.
	ExternalName string
}

// FromModel returns the kinds of a provider by resource type; that of the provider's configuration is at "".
// It is an error if one cannot be a CustomResourceDefinition.
func FromModel(p *model.Provider) (map[string]*Kind, error) {
	out := make(map[string]*Kind, len(p.Resources)+1)
	config, err := FromDefinition(crd.ProviderConfig(p)[0], p.Version)
	if err != nil {
		return nil, err
	}
	config.Exact, config.SchemaVersion = true, p.Schema.ConfigVersion
	refine(config.Parts[ConfigSpec], p.Config, false)
	out[""] = config
	for t, r := range p.Resources {
		if out[t], err = FromResource(r); err != nil {
			return nil, err
		}
	}
	return out, nil
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
		k.IdentityVersion = r.Schema.Identity.Version
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

// refine adds what only the model says. Where a definition has another form than the model, it is left as it is.
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

// former returns the names that a field had. One that does not have its natural name had it before it was given
// another one.
func former(f *model.Field, name string) []string {
	behind, ok := strings.CutPrefix(name, f.JSONName) // what is behind it refers to a Secret, or another resource
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
