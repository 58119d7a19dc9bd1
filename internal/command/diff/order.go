package diff

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/references"
)

// levels divides resources so that each comes after those that it refers to. Those that refer to each other in a circle
// stay in the order of the manifests.
func levels(resources []*planned) [][]*planned {
	depths := map[*planned]int{}
	var depth func(*planned) int
	depth = func(r *planned) int {
		if d, ok := depths[r]; ok {
			return d
		}
		depths[r] = 0 // ends circles
		d := 0
		for _, to := range resources {
			if to != r && r.refersTo(to) {
				d = max(d, depth(to)+1)
			}
		}
		depths[r] = d
		return d
	}
	var out [][]*planned
	for _, r := range resources {
		d := depth(r)
		for len(out) <= d {
			out = append(out, nil)
		}
		out[d] = append(out[d], r)
	}
	return out
}

// refersTo reports whether a resource refers to another one by its name or labels.
func (r *planned) refersTo(to *planned) bool {
	key := keyOf(to.object)
	for _, w := range references.Sources(r.references) {
		switch {
		case key.GroupKind != schema.GroupKind{Group: w.Group, Kind: w.Kind} || key.namespace != w.Namespace:
		case w.Name != "" && w.Name == key.name,
			w.Name == "" && labels.SelectorFromSet(w.Labels).Matches(labels.Set(to.object.GetLabels())):
			return true
		}
	}
	return false
}
