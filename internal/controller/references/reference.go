package references

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/cel-go/cel"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// maxIndex bounds the length of a list that a path creates.
const maxIndex = 255

// Reference is a field of a resource that gets its value from other resources.
type Reference struct {
	// to is the path of the field, from the path of the sources.
	to, from string
	get      func() (any, error)
	set      func(any) error
	// mistake is why the field cannot be set; nil if it can.
	mistake error
	// convert converts a value to the field's type; nil uses it unchanged.
	convert func(any) (any, error)
	// numeric is set if the value is a number.
	numeric bool

	sources []source
	// many is set if the field is a list of the values of all sources, distinct if it is a set.
	many, distinct bool
	// always is set if an existing value is replaced. copies is set if the user, or Crossplane's
	// default, wants existing values kept otherwise: those that Landbridge set follow only if the
	// target's object is replaced.
	always, copies bool
	// record writes the selected resources into the spec, and reports whether it changed. If it is
	// nil, the resources are selected each time.
	record func([]*unstructured.Unstructured) (changed bool)
	// unwritten is the path of the part of the resource in which the value is not written; nil if
	// it is written.
	unwritten []string
}

// source is a resource, by name, or resources, by a selector.
type source struct {
	managed.ReferenceSource
	extract   func(map[string]any) any
	transform *expression.Transform // nil leaves the value unchanged
	optional  bool
	// preferred is the name of the resource that was selected before.
	preferred string
}

// Of returns the references of a resource: those in spec.references, those beside fields, and those
// in the annotation destroy-before. They are bound to the given resource, which Resolve changes.
// The API server has validated their form, but not that of the annotation.
func Of(u *unstructured.Unstructured, m *model.Resource) ([]Reference, error) {
	out, err := ofSpec(u, m)
	if err != nil {
		return out, err
	}
	ordered, err := destroyBefore(u)
	if out = append(out, ordered...); err != nil || len(m.References()) == 0 {
		return out, err
	}
	typed, err := besideFields(u, m)
	out = append(out, typed...)
	// What a selector has selected is written, and the whole list with it.
	for _, by := range typed {
		for i := range out {
			if by.record != nil && by.unwritten != nil && slices.Equal(by.unwritten, out[i].unwritten) {
				out[i].unwritten = nil
			}
		}
	}
	return out, err
}

// destroyBefore returns the references in the annotation destroy-before. They set no field.
func destroyBefore(u *unstructured.Unstructured) ([]Reference, error) {
	value, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "annotations", v1alpha1.AnnotationDestroyBefore)
	text, _ := value.(string)
	var out []Reference
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		parts := strings.Split(item, "/")
		var from managed.ReferenceSource
		switch len(parts) {
		case 2:
			from = managed.ReferenceSource{Kind: parts[0], Name: parts[1]}
		case 4:
			from = managed.ReferenceSource{APIVersion: parts[0] + "/" + parts[1], Kind: parts[2], Name: parts[3]}
		}
		if slices.Contains(parts, "") || from.Name == "" {
			return nil, fmt.Errorf("the annotation %s has %q, where KIND/NAME or GROUP/VERSION/KIND/NAME is expected",
				v1alpha1.AnnotationDestroyBefore, item)
		}
		out = append(out, Reference{
			from: "annotation " + v1alpha1.AnnotationDestroyBefore, sources: []source{sourceOf(u, from, nil)},
			get: func() (any, error) { return true, nil }, set: func(any) error { return nil },
		})
	}
	return out, nil
}

// ofSpec returns those in spec.references, with defaults.
func ofSpec(u *unstructured.Unstructured, m *model.Resource) ([]Reference, error) {
	spec, _ := u.Object["spec"].(map[string]any)
	raw, ok := spec["references"]
	if !ok {
		return nil, nil
	}
	var read managed.ResourceSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"references": raw}, &read); err != nil {
		return nil, fmt.Errorf("spec.references cannot be read: %w", err)
	}
	paved := fieldpath.Pave(spec, fieldpath.WithMaxFieldPathIndex(maxIndex))
	out := make([]Reference, len(read.References))
	for i, ref := range read.References {
		at := fmt.Sprintf("spec.references[%d]", i)
		wrong := func(err error) error {
			if err == nil || fieldpath.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("%s.to is %q: %w", at, ref.To, err)
		}
		if ref.From.FieldPath == "" {
			ref.From.FieldPath = model.ExternalNamePath
		}
		out[i] = Reference{
			to: "spec." + ref.To, from: at + ".from", always: ref.Policy.IsResolvePolicyAlways(),
			copies:  ref.Policy != nil && ref.Policy.Resolve != nil,
			sources: []source{sourceOf(u, ref.From, ref.Policy)}, mistake: wrong(checkTarget(u, m, ref.To)),
			get: func() (any, error) {
				v, err := paved.GetValue(ref.To)
				return v, wrong(err)
			},
			set:       func(v any) error { return wrong(paved.SetValue(ref.To, v)) },
			unwritten: unwritten("spec." + ref.To), numeric: isNumber(m, ref.To),
		}
		if ref.From.Transform != "" {
			var err error
			if out[i].sources[0].transform, err = expression.NewTransform(ref.From.Transform, cel.DynType, m.Functions.ForTransforms()); err != nil {
				out[i].mistake = errors.Join(out[i].mistake, fmt.Errorf("%s.from.transform is %q: %w", at, ref.From.Transform, err))
			}
		}
	}
	return out, nil
}

// isNumber reports whether the field at a path of spec is a number.
func isNumber(m *model.Resource, to string) bool {
	_, path, _ := strings.Cut(to, ".")
	at, err := m.ParseFieldPath(path)
	if err != nil || m.Schema == nil {
		return false
	}
	v, err := at.Apply(cty.UnknownVal(m.Schema.ImpliedType()))
	return err == nil && v.Type() == cty.Number
}

// checkTarget returns an error if a kind has no field to set at a path of spec. The API server
// would drop the value.
func checkTarget(u *unstructured.Unstructured, m *model.Resource, to string) error {
	if path, ok := strings.CutPrefix(to, "import.identity."); ok {
		if err := m.CheckIdentityPath(path); err != nil {
			return fmt.Errorf("%w. The fields are listed by kubectl explain %s.spec.import.identity", err, strings.ToLower(u.GetKind()))
		}
		return nil
	}
	at, path, ok := strings.Cut(to, ".")
	if !ok {
		return errors.New("it must name a field of forProvider, initProvider or import.identity, such as forProvider.name")
	}
	if err := m.CheckInputPath(path); err != nil {
		return fmt.Errorf("%w. The fields are listed by kubectl explain %s.spec.%s", err, strings.ToLower(u.GetKind()), at)
	}
	return nil
}

// sourceOf returns a source, with defaults.
func sourceOf(u *unstructured.Unstructured, from managed.ReferenceSource, policy *xpv2.Policy) source {
	if from.APIVersion == "" {
		from.APIVersion = u.GetAPIVersion()
	}
	if from.Namespace == "" {
		from.Namespace = u.GetNamespace()
	}
	return source{ReferenceSource: from, optional: policy.IsResolutionPolicyOptional()}
}

// Where identifies the resources that a reference may resolve to: one by name, or those of a kind
// in a namespace that have the labels.
type Where struct {
	store.Key
	Labels map[string]string
}

// Sources returns what references may resolve to, without reading it.
func Sources(refs []Reference) []Where {
	var out []Where
	for _, ref := range refs {
		for _, s := range ref.sources {
			out = append(out, s.where())
		}
	}
	return out
}

// Keys returns the resources that references are to. Those that are selected have no name.
func Keys(refs []Reference) []store.Key {
	var out []store.Key
	for _, w := range Sources(refs) {
		out = append(out, w.Key)
	}
	return out
}

// Taken is a value that a reference takes from an object, unchanged.
type Taken struct {
	// To is the path of the field that the value is for.
	To   string
	From store.Key
	// FieldPath is model.ExternalNamePath if none is given.
	FieldPath string
}

// Unchanged returns the values that references take from objects by name, without those that are
// transformed.
func Unchanged(refs []Reference) []Taken {
	var out []Taken
	for _, ref := range refs {
		for _, s := range ref.sources {
			if s.Name != "" && s.transform == nil {
				out = append(out, Taken{To: ref.to, From: s.where().Key, FieldPath: s.FieldPath})
			}
		}
	}
	return out
}

func (s source) where() Where {
	w := Where{Key: store.Key{Group: s.gvk().Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}}
	if s.Selector != nil {
		w.Labels = s.Selector.MatchLabels
	}
	return w
}

func (s source) gvk() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
}

// String describes the source for messages.
func (s source) String() string {
	if s.Selector == nil {
		return fmt.Sprintf("%s %s", s.Kind, cache.ObjectName{Namespace: s.Namespace, Name: s.Name})
	}
	var with []string
	if len(s.Selector.MatchLabels) > 0 {
		with = append(with, "labels "+labels.FormatLabels(s.Selector.MatchLabels))
	}
	if s.Selector.MatchControllerRef {
		with = append(with, "the same controller")
	}
	if with == nil {
		with = []string{"any labels"}
	}
	in := ""
	if s.Namespace != "" {
		in = " in namespace " + s.Namespace
	}
	return fmt.Sprintf("%s with %s%s", s.Kind, strings.Join(with, " and "), in)
}
