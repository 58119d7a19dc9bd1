package crd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

const (
	// maxSize is the maximum size of a CRD, in bytes of JSON. etcd stores at most 1.5 MiB,
	// including managedFields.
	maxSize = 700 << 10
	// applySize is the maximum size of a CRD for kubectl apply without --server-side, which keeps
	// the manifest in an annotation. The API server allows 256 KiB for all annotations
	// (k8s.io/apimachinery's TotalAnnotationSizeLimitB).
	applySize = 256 << 10
	// nearly is the percentage of a limit from which on a CRD is reported.
	nearly = 80
	// largest is the maximum number of subtrees that are reported.
	largest = 5
)

// Fit returns the CRD of a resource type's kind, and what was left out of it because of its size.
func Fit(r *model.Resource) (_ *apiextensionsv1.CustomResourceDefinition, leftOut string, _ error) {
	root := r.Root()
	type step struct {
		writer
		leftOut string
	}
	steps := []step{
		{writer{descriptions: 640}, ""}, {writer{descriptions: 160}, "the ends of descriptions"}, {
			writer{}, "all descriptions of fields",
		},
	}
	for depth := 12; depth > 0; depth-- {
		steps = append(steps, step{
			writer{depth: depth},
			fmt.Sprintf("all descriptions of fields, and the types of fields that are nested more "+
				"than %d levels deep", depth),
		})
	}
	for _, s := range steps {
		out := resource(r, root, s.writer)
		size, err := sizeOf(out)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", r.Type, err)
		}
		if size <= maxSize {
			return out, s.leftOut, nil
		}
	}
	return nil, "", fmt.Errorf("%s: its schema is too large for a CustomResourceDefinition", r.Type)
}

func sizeOf(v any) (int, error) {
	raw, err := json.Marshal(v)
	return len(raw), err
}

// Size is the size of a CRD, in bytes of JSON.
type Size struct {
	Name  string
	Bytes int
	// LeftOut describes the parts that were left out because of the size.
	LeftOut string
	// Largest are the largest parts that can be omitted, the largest first.
	Largest []Subtree
}

// Subtree is a field with everything in it.
type Subtree struct {
	// Path has Terraform's names with dots, as in the configuration's omit.
	Path  string
	Bytes int
}

// Measure returns the size of the CRD of a resource type and its largest parts, or nil if the size
// is not near a limit. leftOut comes from Fit.
func Measure(r *model.Resource, d *apiextensionsv1.CustomResourceDefinition, leftOut string) (*Size, error) {
	size, err := sizeOf(d)
	if err != nil {
		return nil, err
	}
	if leftOut == "" && size*100 < applySize*nearly {
		return nil, nil
	}
	out := &Size{Name: d.Name, Bytes: size, LeftOut: leftOut}
	// Without descriptions, but with all types: types that were left out of the CRD are the
	// largest.
	whole := resource(r, r.Root(), writer{}).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties
	spec := whole["spec"].Properties
	m := measurer{}
	m.fields("", r.Root(), spec["forProvider"], whole["status"].Properties["atProvider"])
	slices.SortStableFunc(m.found, func(a, b Subtree) int { return cmp.Compare(b.Bytes, a.Bytes) })
	out.Largest = m.found[:min(largest, len(m.found))]
	return out, m.err
}

type measurer struct {
	found []Subtree
	err   error
}

// fields finds the largest subtrees of an object. Instead of a field that makes up most of its
// parent, or that cannot be omitted, it finds those inside the field.
func (m *measurer) fields(prefix string, t *model.Type, input, observed props) {
	for t.Element != nil {
		t, input, observed = t.Element, elementOf(input), elementOf(observed)
	}
	if t.Object == nil {
		return
	}
	type child struct {
		f               *model.Field
		input, observed props
		bytes           int
	}
	var children []child
	total := 0
	for _, f := range t.Object.All {
		c := child{f: f, input: input.Properties[f.InputName()], observed: observed.Properties[f.JSONName]}
		in, err := sizeOf(c.input)
		shown, errShown := sizeOf(c.observed)
		if m.err = cmp.Or(m.err, err, errShown); m.err != nil {
			return
		}
		if !f.Input {
			in = 0
		}
		if !f.Observed {
			shown = 0
		}
		c.bytes = 2*in + shown // initProvider has what forProvider has
		total += c.bytes
		children = append(children, c)
	}
	for _, c := range children {
		path := prefix + c.f.Name
		inside := len(m.found)
		if c.f.Required || c.bytes*2 > total {
			m.fields(path+".", c.f.Type, c.input, c.observed)
		}
		if !c.f.Required && len(m.found) == inside {
			m.found = append(m.found, Subtree{Path: path, Bytes: c.bytes})
		}
	}
}

// elementOf returns the schema of a collection's elements, or the schema itself for a singleton.
func elementOf(p props) props {
	switch {
	case p.Items != nil:
		return *p.Items.Schema
	case p.AdditionalProperties != nil:
		return *p.AdditionalProperties.Schema
	default:
		return p
	}
}

// String describes the limits that the CRD is near, and what can be omitted.
func (s *Size) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the CRD %s has %d KiB", s.Name, s.Bytes>>10)
	if s.LeftOut != "" {
		fmt.Fprintf(&b, " without %s, which were left out because the API server accepts at most about %d KiB", s.LeftOut, maxSize>>10)
	}
	switch {
	case s.Bytes > applySize:
		fmt.Fprintf(&b, "; kubectl apply accepts at most %d KiB without --server-side", applySize>>10)
	case s.Bytes*100 >= applySize*nearly:
		fmt.Fprintf(&b, ", which is near the %d KiB that kubectl apply accepts without --server-side", applySize>>10)
	}
	if len(s.Largest) > 0 {
		b.WriteString(". The largest fields that can be omitted:")
		for i, t := range s.Largest {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, " %s (%d KiB)", t.Path, max(1, t.Bytes>>10))
		}
	}
	return b.String()
}
