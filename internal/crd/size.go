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
	// maxSize is the largest CRD, in bytes of JSON. etcd takes 1.5 MiB, which must also hold what the
	// API server remembers of field owners.
	maxSize = 700 << 10
	// applySize is the largest CRD that kubectl apply takes, unless it is told --server-side: it keeps
	// the manifest in an annotation, and the API server allows 256 KiB for all of those
	// (k8s.io/apimachinery's TotalAnnotationSizeLimitB).
	applySize = 256 << 10
	// nearly is the part of a limit from which on a CRD is near it, in percent.
	nearly = 80
	// largest is how many subtrees are named.
	largest = 5
)

// Fit is Resource, and says what had to be left out for the CRD to fit; "" is nothing.
func Fit(r *model.Resource) (_ *apiextensionsv1.CustomResourceDefinition, leftOut string, _ error) {
	root := r.Root()
	type step struct {
		writer
		leftOut string
	}
	steps := []step{{writer{descriptions: 640}, ""}, {writer{descriptions: 160}, "the ends of descriptions"}, {writer{}, "all descriptions of fields"}}
	for depth := 12; depth > 0; depth-- {
		steps = append(steps, step{writer{depth: depth}, fmt.Sprintf("all descriptions of fields, and the types of what is nested more than %d deep", depth)})
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

// Size is how large a CRD is, in bytes of JSON.
type Size struct {
	Name  string
	Bytes int
	// LeftOut is what had to be left out for it to fit; "" is nothing.
	LeftOut string
	// Largest are the parts of it that take most, the largest first, without those that cannot be omitted.
	Largest []Subtree
}

// Subtree is a field with everything inside.
type Subtree struct {
	// Path is as in the configuration's omit: Terraform's names with dots.
	Path  string
	Bytes int
}

// Measure says how large the CRD of a resource type is, and what makes it so, if it is near a limit; else
// it is nil. leftOut is Fit's.
func Measure(r *model.Resource, d *apiextensionsv1.CustomResourceDefinition, leftOut string) (*Size, error) {
	size, err := sizeOf(d)
	if err != nil {
		return nil, err
	}
	if leftOut == "" && size*100 < applySize*nearly {
		return nil, nil
	}
	out := &Size{Name: d.Name, Bytes: size, LeftOut: leftOut}
	// Without descriptions, but with all types: what is left out of the CRD is what takes most.
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

// fields finds the largest subtrees of an object. What is nearly all of its parent, or cannot be omitted,
// is not one itself: what is inside of it is.
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

// elementOf returns the schema of what a collection holds; of a singleton, which has none, it is itself.
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

// String says which limits the CRD is near, and what to omit.
func (s *Size) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the CRD %s has %d KiB", s.Name, s.Bytes>>10)
	if s.LeftOut != "" {
		fmt.Fprintf(&b, ", and has to do without %s, since the API server takes no more than about %d KiB", s.LeftOut, maxSize>>10)
	}
	switch {
	case s.Bytes > applySize:
		fmt.Fprintf(&b, "; kubectl apply takes no more than %d KiB, unless it is told --server-side", applySize>>10)
	case s.Bytes*100 >= applySize*nearly:
		fmt.Fprintf(&b, ", which is near the %d KiB that kubectl apply takes, unless it is told --server-side", applySize>>10)
	}
	if len(s.Largest) > 0 {
		b.WriteString(". What can be omitted, and takes most:")
		for i, t := range s.Largest {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, " %s (%d KiB)", t.Path, max(1, t.Bytes>>10))
		}
	}
	return b.String()
}
