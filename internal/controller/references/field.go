package references

import (
	"errors"
	"fmt"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// beside is a reference or a selector beside a field: Crossplane's NamespacedReference and
// NamespacedSelector, with a kind.
type beside struct {
	Kind      string       `json:"kind,omitempty"`
	Name      string       `json:"name,omitempty"`
	Namespace string       `json:"namespace,omitempty"`
	Policy    *xpv2.Policy `json:"policy,omitempty"`

	MatchLabels        map[string]string `json:"matchLabels,omitempty"`
	MatchControllerRef *bool             `json:"matchControllerRef,omitempty"`
}

// besideFields returns the references beside fields of forProvider.
func besideFields(u *unstructured.Unstructured, m *model.Resource) ([]Reference, error) {
	spec, _ := u.Object["spec"].(map[string]any)
	forProvider, _ := spec["forProvider"].(map[string]any)
	var out []Reference
	for _, ref := range translate.References(m, forProvider) {
		r, err := besideField(u, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// besideField follows Crossplane: a name takes precedence over a selector, unless the selector is
// resolved always. What a selector selects is recorded as the name, and used from then on.
func besideField(u *unstructured.Unstructured, ref translate.Reference) (Reference, error) {
	f, object := ref.Field(), ref.Object
	out := Reference{
		to: ref.Path + f.JSONName, many: ref.Many, copies: true,
		distinct: f.Type.Kind == model.Set, unwritten: ref.List,
		get: func() (any, error) {
			v := object[f.JSONName]
			if list, ok := v.([]any); v == "" || ok && len(list) == 0 {
				return nil, nil
			}
			return v, nil
		},
		set: func(v any) error {
			object[f.JSONName] = v
			return nil
		},
		convert: func(v any) (any, error) { return as(ref.Value().Presented(), v) },
		numeric: ref.Value().Presented() != model.String && ref.Value().Presented() != model.Bool,
	}
	names, err := read(ref.Path+ref.Ref, object[ref.Ref])
	if err != nil {
		return out, err
	}
	selectors, err := read(ref.Path+ref.Selector, object[ref.Selector])
	if err != nil {
		return out, err
	}
	if len(selectors) > 0 && (len(names) == 0 || selectors[0].Policy.IsResolvePolicyAlways()) {
		return out, out.bySelector(u, ref, selectors[0], names)
	}
	out.from = ref.Path + ref.Ref
	for _, n := range names {
		src, err := n.source(u, ref, out.from)
		if err != nil {
			return out, err
		}
		out.sources = append(out.sources, src)
		out.always = out.always || n.Policy.IsResolvePolicyAlways()
	}
	return out, nil
}

// bySelector adds the source for a selector. names are the recorded references to the resources
// that it selected before.
func (r *Reference) bySelector(u *unstructured.Unstructured, ref translate.Reference, s beside, names []beside) error {
	r.from, r.always = ref.Path+ref.Selector, s.Policy.IsResolvePolicyAlways()
	src, err := s.source(u, ref, r.from)
	if err != nil {
		return err
	}
	src.Selector = &managed.ReferenceSelector{
		MatchLabels: s.MatchLabels, MatchControllerRef: s.MatchControllerRef != nil && *s.MatchControllerRef,
	}
	if len(names) == 1 && !ref.Many && s.records(names[0], names[0].Name) {
		src.preferred = names[0].Name
	}
	r.sources = []source{src}
	r.record = func(selected []*unstructured.Unstructured) bool {
		if slices.EqualFunc(names, selected, func(b beside, x *unstructured.Unstructured) bool { return s.records(b, x.GetName()) }) {
			return false
		}
		ref.Object[ref.Ref] = s.record(selected, ref.Many)
		return true
	}
	return nil
}

// read reads references, or a selector.
func read(at string, raw any) ([]beside, error) {
	list, ok := raw.([]any)
	if object, single := raw.(map[string]any); single {
		list, ok = []any{object}, true
	}
	if raw != nil && !ok {
		return nil, fmt.Errorf("%s cannot be read: it is neither an object nor a list", at)
	}
	out := make([]beside, len(list))
	for i, x := range list {
		object, _ := x.(map[string]any)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &out[i]); err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", at, err)
		}
	}
	return out, nil
}

func (b beside) source(u *unstructured.Unstructured, ref translate.Reference, at string) (source, error) {
	t := ref.Target(b.Kind)
	if t == nil {
		return source{}, fmt.Errorf("%s.kind is %s: it must be one of %v", at, b.Kind, ref.Kinds())
	}
	s := sourceOf(u, managed.ReferenceSource{
		APIVersion: t.GroupVersion().String(), Kind: t.Kind, Name: b.Name, Namespace: b.Namespace, FieldPath: t.FieldPath,
	}, b.Policy)
	s.extract, s.transform = t.Extract, t.Transform
	return s, nil
}

// record returns the reference to record for what a selector selects.
func (b beside) record(selected []*unstructured.Unstructured, many bool) any {
	out := make([]any, len(selected))
	for i, x := range selected {
		r := map[string]any{"name": x.GetName()}
		if b.Kind != "" {
			r["kind"] = b.Kind
		}
		if b.Namespace != "" {
			r["namespace"] = b.Namespace
		}
		out[i] = r
	}
	if many {
		return out
	}
	return out[0]
}

// records reports whether ref is what record returns for a selected resource of the name.
func (b beside) records(ref beside, name string) bool {
	return ref.Name == name && ref.Namespace == b.Namespace && ref.Kind == b.Kind
}

// as converts a value of a custom resource to a primitive kind, as Terraform would.
func as(kind model.Kind, v any) (any, error) {
	var in cty.Value
	switch v := v.(type) {
	case string:
		in = cty.StringVal(v)
	case bool:
		in = cty.BoolVal(v)
	case int64:
		in = cty.NumberIntVal(v)
	case float64:
		in = cty.NumberFloatVal(v)
	default:
		return nil, fmt.Errorf("a %s is required", kind)
	}
	want := cty.Number
	switch kind {
	case model.String:
		want = cty.String
	case model.Bool:
		want = cty.Bool
	}
	out, err := convert.Convert(in, want)
	if err != nil {
		return nil, err
	}
	switch want {
	case cty.String:
		return out.AsString(), nil
	case cty.Bool:
		return out.True(), nil
	}
	n := out.AsBigFloat()
	i, exact := n.Int64()
	switch {
	case exact == 0:
		return i, nil
	case n.IsInt():
		return nil, fmt.Errorf("the number %s is too large for a field of a custom resource", n.Text('f', 0))
	case kind == model.Integer:
		return nil, errors.New("an integer is required")
	}
	x, _ := n.Float64()
	return x, nil
}

// distinct returns the values without duplicates.
func distinct(in []any) []any {
	var out []any
	for _, v := range in {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
