package planview

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// FormatVersion is the version of the JSON form. Its major part changes with incompatible changes.
const FormatVersion = "1.0"

// ResourceChange is a change in JSON, as in resource_changes of Terraform's own plans.
type ResourceChange struct {
	Address      string         `json:"address"`
	Mode         string         `json:"mode"`
	Type         string         `json:"type"`
	Name         string         `json:"name"`
	ProviderName string         `json:"provider_name,omitempty"`
	Deposed      string         `json:"deposed,omitempty"`
	Change       ChangeContents `json:"change"`
	ActionReason string         `json:"action_reason,omitempty"`
	// Object is the custom resource. It is not in Terraform's JSON.
	Object ObjectReference `json:"object"`
	// Held is the reason why the change is not carried out.
	Held string `json:"held,omitempty"`
	// Invokes are the actions that the change has invoked in a cluster.
	Invokes []string `json:"invokes,omitempty"`
	// Contained are the changes of a module's resources. They are not in Terraform's JSON, which
	// has them beside the module.
	Contained []ContainedChange `json:"contained,omitempty"`
}

// ContainedChange is what becomes of a resource of a module.
type ContainedChange struct {
	Address      string   `json:"address"`
	Actions      []string `json:"actions"`
	ActionReason string   `json:"action_reason,omitempty"`
}

// ObjectReference names a custom resource.
type ObjectReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// ChangeContents has the values before and after. Attributes have Terraform's names. Sensitive and
// unknown values are left out of Before and After, and are true in BeforeSensitive, AfterSensitive
// and AfterUnknown. In lists, where nothing can be left out, they are null.
type ChangeContents struct {
	Actions         []string   `json:"actions"`
	Before          any        `json:"before"`
	After           any        `json:"after"`
	AfterUnknown    any        `json:"after_unknown"`
	BeforeSensitive any        `json:"before_sensitive"`
	AfterSensitive  any        `json:"after_sensitive"`
	ReplacePaths    [][]any    `json:"replace_paths,omitempty"`
	Importing       *Importing `json:"importing,omitempty"`
	BeforeIdentity  any        `json:"before_identity,omitempty"`
	AfterIdentity   any        `json:"after_identity,omitempty"`
}

// Importing is the target of an import.
type Importing struct {
	ID string `json:"id,omitempty"`
	// IDSensitive is set if there is an ID, which is sensitive. It is not in Terraform's JSON.
	IDSensitive bool `json:"id_sensitive,omitempty"`
	Identity    any  `json:"identity,omitempty"`
}

// JSON returns the changes for JSON.
func JSON(changes []Change) []ResourceChange {
	out := make([]ResourceChange, 0, len(changes))
	for _, c := range changes {
		out = append(out, c.json())
	}
	return out
}

var actions = map[terraform.Action][]string{
	terraform.NoOp:             {"no-op"},
	terraform.Create:           {"create"},
	terraform.Update:           {"update"},
	terraform.Delete:           {"delete"},
	terraform.DeleteThenCreate: {"delete", "create"},
	terraform.CreateThenDelete: {"create", "delete"},
}

func (c Change) json() ResourceChange {
	gvk := c.Model.GroupVersionKind()
	out := ResourceChange{
		Address: c.Address, Mode: "managed", Type: c.Model.Type, Name: c.Label, ProviderName: c.Provider,
		Deposed: c.Deposed, ActionReason: string(c.Plan.Reason), Held: c.Held, Invokes: c.Invokes,
		Object: ObjectReference{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Namespace: c.Namespace, Name: c.Name},
	}
	for _, x := range c.Plan.Contained {
		names, ok := actions[x.Action]
		if !ok {
			names = []string{strings.ToLower(string(x.Action))} // import and forget
		}
		out.Contained = append(out.Contained, ContainedChange{Address: x.Address, Actions: names, ActionReason: string(x.Reason)})
	}
	root := c.Model.Root()
	before, after := c.before(), c.after()
	is := sensitivity(c)
	was := sensitive{before: is.before, after: is.before}
	is.before = is.after
	ch := &out.Change
	ch.Actions = actions[c.Plan.Action]
	ch.Before, _ = value(root, before, was, place{})
	ch.After, _ = value(root, after, is, place{})
	ch.BeforeSensitive = secrets(root, before, was, place{})
	ch.AfterSensitive = secrets(root, after, is, place{})
	ch.AfterUnknown = unknown(after)
	if c.Plan.Action.IsReplace() {
		for _, p := range c.Plan.RequiresReplace {
			ch.ReplacePaths = append(ch.ReplacePaths, path(before.Type(), p))
		}
	}
	if t := c.Importing; t != nil {
		ch.Importing = &Importing{ID: t.ID, Identity: identity(t.Identity)}
		if t.ID != "" && c.isSecret(t.ID) {
			ch.Importing.ID, ch.Importing.IDSensitive = "", true
		}
	}
	ch.BeforeIdentity, ch.AfterIdentity = identity(c.Plan.Prior.Identity), identity(c.Plan.Identity)
	return out
}

// value returns a value for JSON; ok is false if it is left out.
func value(t *model.Type, v cty.Value, s sensitive, p place) (out any, ok bool) {
	if !v.IsKnown() || !v.IsNull() && s.value(t, p) {
		return nil, false
	}
	if v.IsNull() {
		return nil, true
	}
	switch t.Kind {
	case model.Dynamic:
		if d := dynamicType(v, v); d != nil && d != anyText {
			return value(d, v, s, p)
		}
		return primitive(v)
	case model.Object:
		all := make(map[string]any, len(t.Object.All))
		for _, f := range t.Object.All {
			x := v.GetAttr(f.Name)
			if f.Secret() && !(x.IsKnown() && x.IsNull()) {
				continue
			}
			if j, ok := value(f.Type, x, s, p.attribute(f.Name)); ok {
				all[f.Name] = j
			}
		}
		return all, true
	case model.Map:
		all := map[string]any{}
		for k, x := range entries(v) {
			at := p.key(k)
			if t.Cty == cty.DynamicPseudoType {
				at = p.attribute(k)
			}
			if j, ok := value(t.Element, x, s, at); ok {
				all[k] = j
			}
		}
		return all, true
	case model.List, model.Tuple, model.Set:
		list := []any{}
		for i, x := range elements(v) {
			j, _ := value(elementType(t, i), x, s, elementPlace(t, p, i))
			list = append(list, j)
		}
		return list, true
	}
	return primitive(v)
}

func elementPlace(t *model.Type, p place, i int) place {
	if t.Kind == model.Set {
		return p.element()
	}
	return p.index(i, i)
}

func primitive(v cty.Value) (any, bool) {
	switch v.Type() {
	case cty.String:
		return v.AsString(), true
	case cty.Number:
		return json.Number(number(v)), true
	case cty.Bool:
		return v.True(), true
	}
	return nil, false
}

// secrets returns the form of a value with true for sensitive values. Attributes and keys without
// sensitive values are left out.
func secrets(t *model.Type, v cty.Value, s sensitive, p place) any {
	if v.IsKnown() && v.IsNull() {
		return false
	}
	if s.value(t, p) {
		return true
	}
	if t.Kind == model.Dynamic {
		return false
	}
	switch t.Kind {
	case model.Object:
		all := map[string]any{}
		if !v.IsKnown() {
			return all
		}
		for _, f := range t.Object.All {
			if f.Secret() {
				all[f.Name] = true
				continue
			}
			if j := secrets(f.Type, v.GetAttr(f.Name), s, p.attribute(f.Name)); j != false {
				all[f.Name] = j
			}
		}
		return all
	case model.Map:
		all := map[string]any{}
		for k, x := range entries(v) {
			if j := secrets(t.Element, x, s, p.key(k)); j != false {
				all[k] = j
			}
		}
		return all
	case model.List, model.Tuple, model.Set:
		list := []any{}
		for i, x := range elements(v) {
			list = append(list, secrets(elementType(t, i), x, s, elementPlace(t, p, i)))
		}
		return list
	}
	return false
}

// unknown returns the form of a value with true for unknown values, as secrets does.
func unknown(v cty.Value) any {
	if !v.IsKnown() {
		return true
	}
	t := v.Type()
	switch {
	case v.IsNull(), t.IsPrimitiveType():
		return false
	case t.IsObjectType(), t.IsMapType():
		all := map[string]any{}
		es := entries(v)
		for _, k := range slices.Sorted(maps.Keys(es)) {
			if j := unknown(es[k]); j != false {
				all[k] = j
			}
		}
		return all
	default:
		list := []any{}
		for _, x := range elements(v) {
			list = append(list, unknown(x))
		}
		return list
	}
}

// path returns a path within a value of type t as a list of names, keys and indexes, up to the
// first set: the key of a set's element is its value, which may be sensitive.
func path(t cty.Type, p cty.Path) []any {
	out := []any{}
	for _, s := range p {
		if t.IsSetType() {
			return out
		}
		switch s := s.(type) {
		case cty.GetAttrStep:
			out = append(out, s.Name)
			t = typeOfAttribute(t, s.Name)
		case cty.IndexStep:
			if !s.Key.IsKnown() || s.Key.IsNull() {
				return out
			}
			j, ok := primitive(s.Key)
			if !ok {
				return out
			}
			out = append(out, j)
			t = typeOfElement(t, s.Key)
		}
	}
	return out
}

// typeOfAttribute returns the type of an attribute, and the dynamic type for one that t does not
// have.
func typeOfAttribute(t cty.Type, name string) cty.Type {
	if t.IsObjectType() && t.HasAttribute(name) {
		return t.AttributeType(name)
	}
	return cty.DynamicPseudoType
}

// typeOfElement returns the type of an element, and the dynamic type for one that t does not have.
func typeOfElement(t cty.Type, key cty.Value) cty.Type {
	switch {
	case t.IsCollectionType():
		return t.ElementType()
	case t.IsTupleType() && key.Type() == cty.Number:
		if i, exact := key.AsBigFloat().Int64(); exact == big.Exact && i >= 0 && i < int64(t.Length()) {
			return t.TupleElementType(int(i))
		}
	case t.IsObjectType() && key.Type() == cty.String:
		return typeOfAttribute(t, key.AsString())
	}
	return cty.DynamicPseudoType
}

// identity returns an identity for JSON, without unknown attributes; nil if there is none. An
// identity has no secrets.
func identity(v cty.Value) any {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() {
		return nil
	}
	out, _ := value(model.PlainType(v.Type()), v, sensitive{}, place{})
	return out
}
