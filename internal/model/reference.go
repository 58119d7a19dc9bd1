package model

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/zclconf/go-cty/cty"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/expression"
)

// ExternalNamePath is the path of the external name in a custom resource.
const ExternalNamePath = "metadata.annotations[crossplane.io/external-name]"

// Reference defines the other resources that a field can take its value from (Crossplane Resource
// Model).
type Reference struct {
	// Path are the fields on the path to the field that is set, which is the last.
	Path []*Field
	// Ref and Selector are the names of the reference and the selector in spec.forProvider.
	Ref, Selector string
	// Many is set if the field is a list or set, and Ref a list.
	Many bool
	// Targets are the kinds that may be referred to, at least one. Their names are distinct.
	Targets []ReferenceTarget
}

// ReferenceTarget is a kind that may be referred to.
type ReferenceTarget struct {
	kschema.GroupVersionKind
	// FieldPath is the path of the field with the value, unless Extract is set.
	FieldPath string
	// Transform makes the value of the one of the field; nil if it is the field's.
	Transform *expression.Transform
	// as is the kind of the field at FieldPath; empty if it is not known.
	as      Kind
	Extract func(target map[string]any) any
}

// Field returns the field that is set.
func (r *Reference) Field() *Field { return r.Path[len(r.Path)-1] }

// Value returns the type of one value.
func (r *Reference) Value() *Type {
	if r.Many {
		return r.Field().Type.Element
	}
	return r.Field().Type
}

// Target returns the target of a kind, or the first one for an empty kind. It returns nil if the
// kind may not be referred to.
func (r *Reference) Target(kind string) *ReferenceTarget {
	for i := range r.Targets {
		if kind == "" || r.Targets[i].Kind == kind {
			return &r.Targets[i]
		}
	}
	return nil
}

// Kinds returns the names of the kinds that may be referred to.
func (r *Reference) Kinds() []string {
	out := make([]string, len(r.Targets))
	for i, t := range r.Targets {
		out[i] = t.Kind
	}
	return out
}

// References returns the configured references, sorted by their Terraform paths.
func (r *Resource) References() []*Reference { return r.references }

// refer makes the references of a resource type. The names of all kinds must be known.
func (p *Provider) refer(r *Resource, configured map[string]config.Reference) error {
	for _, at := range slices.Sorted(maps.Keys(configured)) {
		if configured[at].None {
			continue
		}
		ref, err := p.reference(r, at, configured[at])
		if err != nil {
			return config.At(err, "references", at)
		}
		r.references = append(r.references, ref)
	}
	return nil
}

// reference makes a reference and sets it on its field.
func (p *Provider) reference(r *Resource, at string, c config.Reference) (*Reference, error) {
	path, parent := r.Root().trace(strings.Split(at, "."))
	if path == nil {
		return nil, fmt.Errorf("there is no attribute %s", at)
	}
	out := &Reference{Path: path}
	f := out.Field()
	switch {
	case !f.Input:
		return nil, errors.New("it cannot be set")
	case slices.ContainsFunc(path, (*Field).Secret):
		return nil, errors.New("it is sensitive, and comes from a Secret")
	case f.Type.As == JSON:
		return nil, errors.New("it is presented as JSON, which does not come from other resources")
	case f.Type.IsPrimitive():
	case (f.Type.Kind == List || f.Type.Kind == Set) && f.Type.Element.IsPrimitive():
		out.Many = true
	default:
		return nil, fmt.Errorf("it is of type %s, where a string, number or boolean, or a list or set of such, can "+
			"come from other resources", f.Type.shape())
	}
	if len(c.Targets) == 0 {
		return nil, config.At(errors.New("name at least one"), "targets")
	}
	for i, t := range c.Targets {
		target, err := p.target(t)
		if err == nil {
			target.Transform, err = transform(t, target, out.Value(), r.Functions.ForTransforms())
		}
		if err != nil {
			return nil, config.At(err, "targets", strconv.Itoa(i))
		}
		if out.Target(target.Kind) != nil {
			return nil, config.At(fmt.Errorf("there is another target of kind %s", target.Kind), "targets", strconv.Itoa(i))
		}
		out.Targets = append(out.Targets, target)
	}
	base, ref := f.JSONName, "Ref"
	if out.Many {
		base, ref = Singular(base), "Refs"
	}
	for _, x := range []struct {
		name       *string
		option     string
		configured string
		natural    string
	}{{&out.Ref, "refField", c.RefField, base + ref}, {&out.Selector, "selectorField", c.SelectorField, base + "Selector"}} {
		*x.name = x.natural
		if x.configured != "" {
			if !isFieldName(x.configured) {
				return nil, config.At(fmt.Errorf("%q is not a valid field name, such as %s", x.configured, x.natural), x.option)
			}
			*x.name = x.configured
		}
		if parent.taken(*x.name) {
			return nil, fmt.Errorf("the name %s is taken by another field: give it another one with %s", *x.name, x.option)
		}
		if parent.reference == nil {
			parent.reference = map[string]*Reference{}
		}
		parent.reference[*x.name] = out
	}
	f.Reference = out
	return out, nil
}

func (p *Provider) target(c config.Target) (ReferenceTarget, error) {
	var out ReferenceTarget
	given := 0
	for _, x := range []bool{c.Attribute != "", c.FieldPath != "", c.Extract != nil} {
		if x {
			given++
		}
	}
	switch {
	case given > 1:
		return out, errors.New("give at most one of attribute, fieldPath and an extractor")
	case (c.Type != "") == (c.Kind != ""), c.Type != "" && c.APIVersion != "":
		return out, errors.New("give either type, or apiVersion and kind")
	case c.Kind != "" && c.Attribute != "":
		return out, config.At(errors.New("it is for a type of this provider; give fieldPath"), "attribute")
	}
	out.FieldPath, out.as, out.Extract = ExternalNamePath, String, c.Extract
	if c.Type == "" {
		gv, err := kschema.ParseGroupVersion(c.APIVersion)
		if err != nil || gv.Group == "" || gv.Version == "" {
			return out, config.At(fmt.Errorf("%q is not of the form group/version", c.APIVersion), "apiVersion")
		}
		out.GroupVersionKind = gv.WithKind(c.Kind)
		if c.FieldPath != "" {
			out.FieldPath, out.as = c.FieldPath, ""
			return out, checkFieldPath(c.FieldPath)
		}
		return out, nil
	}
	r := p.Resources[c.Type]
	if r == nil {
		return out, config.At(fmt.Errorf("the provider has no resource type %s", c.Type), "type")
	}
	out.GroupVersionKind = r.GroupVersionKind()
	switch {
	case c.Attribute != "":
		path, as, err := r.observed(c.Attribute)
		if err != nil {
			return out, config.At(err, "attribute")
		}
		out.FieldPath, out.as = path, as
	case c.FieldPath != "":
		out.FieldPath, out.as = c.FieldPath, ""
		if err := checkFieldPath(c.FieldPath); err != nil {
			return out, err
		}
		for _, prefix := range []string{"status.atProvider", "spec.forProvider"} {
			if rest, ok := strings.CutPrefix(c.FieldPath, prefix+"."); ok {
				if _, err := r.ParseFieldPath(rest); err != nil {
					return out, config.At(fmt.Errorf("%s: %w", prefix, err), "fieldPath")
				}
			}
		}
	}
	return out, nil
}

// HasValue reports whether a reference can take its value from an attribute, by its Terraform path
// with dots: the attribute must be in status, and be a string, number or boolean.
func (r *Resource) HasValue(attribute string) bool {
	_, _, err := r.observed(attribute)
	return err == nil
}

// observed returns the path in status of an attribute of a plain type, by its Terraform path with
// dots, and as what it is presented.
func (r *Resource) observed(attribute string) (string, Kind, error) {
	var at cty.Path
	path, _ := r.Root().trace(strings.Split(attribute, "."))
	if path == nil {
		return "", "", fmt.Errorf("%s has no attribute %s", r.Type, attribute)
	}
	for i, f := range path {
		at = at.GetAttr(f.Name)
		switch last := i == len(path)-1; {
		case !f.Observed:
			return "", "", fmt.Errorf("%s of %s is sensitive or omitted", attribute, r.Type)
		case last && !f.Type.IsPrimitive(), !last && f.Type.Kind != Object && !f.Type.Singleton:
			return "", "", fmt.Errorf("%s of %s is not one string, number or boolean", attribute, r.Type)
		case f.Type.Singleton:
			at = at.IndexInt(0)
		}
	}
	return "status.atProvider." + r.FieldPath(at), path[len(path)-1].Type.Presented(), nil
}

func checkFieldPath(path string) error {
	steps, err := splitPath(path)
	if err != nil {
		return config.At(fmt.Errorf("%q: %w", path, err), "fieldPath")
	}
	if len(steps) < 2 || !slices.Contains([]string{"spec", "status", "metadata"}, steps[0].text) {
		return config.At(fmt.Errorf("%q is not a path in a custom resource, such as status.atProvider.arn", path), "fieldPath")
	}
	return nil
}

// trace returns the fields on a path of Terraform names, and the object that has the last one. The
// path skips elements of collections.
func (t *Type) trace(path []string) ([]*Field, *Fields) {
	var out []*Field
	var in *Fields
	for _, name := range path {
		for t.Element != nil {
			t = t.Element
		}
		if t.Object == nil {
			return nil, nil
		}
		in = t.Object
		f := in.ByTerraform(name)
		if f == nil {
			return nil, nil
		}
		out, t = append(out, f), f.Type
	}
	return out, in
}

// shape describes a type: map of object.
func (t *Type) shape() string {
	if t.Element != nil && !t.Singleton {
		return fmt.Sprintf("%s of %s", t.Kind, t.Element.shape())
	}
	if t.Singleton {
		return string(Object)
	}
	return string(t.Kind)
}

// taken reports whether a name is in use in spec or status.
func (f *Fields) taken(name string) bool {
	return f.json[name] != nil || f.input[name] != nil || f.reference[name] != nil
}

func isFieldName(name string) bool {
	for i, r := range name {
		if !(r >= 'a' && r <= 'z' || i > 0 && r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))) {
			return false
		}
	}
	return name != ""
}

// Singular returns the singular of a list's name. As for plurals, it uses a few fixed rules, since
// names of fields depend on it.
func Singular(name string) string {
	lower := strings.ToLower(name)
	cut := func(suffix string, n int, with string) (string, bool) {
		if strings.HasSuffix(lower, suffix) && len(name) > len(suffix) {
			return name[:len(name)-n] + with, true
		}
		return "", false
	}
	for _, x := range []struct {
		suffix string
		cut    int
		with   string
	}{
		{"ies", 3, "y"}, {"sses", 2, ""}, {"xes", 2, ""}, {"ches", 2, ""}, {"shes", 2, ""}, {"ss", 0, ""},
		{"us", 0, ""}, {"is", 0, ""}, {"s", 1, ""},
	} {
		if out, ok := cut(x.suffix, x.cut, x.with); ok {
			return out
		}
	}
	return name
}
