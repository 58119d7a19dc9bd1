package local

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/references"
)

// Referrer is a resource with references.
type Referrer interface {
	comparable
	// Refers returns the resource as it is in the manifest, and its references.
	Refers() (*unstructured.Unstructured, []references.Reference)
}

// Levels divides resources so that each comes after those that it refers to. Those that refer to
// each other in a circle stay in the order of the manifests.
func Levels[R Referrer](resources []R) [][]R {
	depths := map[R]int{}
	var depth func(R) int
	depth = func(r R) int {
		if d, ok := depths[r]; ok {
			return d
		}
		depths[r] = 0 // ends circles
		d := 0
		for _, to := range resources {
			if to != r && refersTo(r, to) {
				d = max(d, depth(to)+1)
			}
		}
		depths[r] = d
		return d
	}
	var out [][]R
	for _, r := range resources {
		d := depth(r)
		for len(out) <= d {
			out = append(out, nil)
		}
		out[d] = append(out[d], r)
	}
	return out
}

// refersTo reports whether a resource refers to another one by its name or labels, or reads its
// connection Secret.
func refersTo[R Referrer](r, to R) bool {
	of, refs := r.Refers()
	target, _ := to.Refers()
	key := keyOf(target)
	if secret := references.SecretWritten(target); secret != "" && of.GetNamespace() == target.GetNamespace() &&
		slices.Contains(references.SecretsRead(of), secret) {
		return true
	}
	for _, w := range references.Sources(refs) {
		switch {
		case key.GroupKind != schema.GroupKind{Group: w.Group, Kind: w.Kind} || key.namespace != w.Namespace:
		case w.Name != "" && w.Name == key.name,
			w.Name == "" && labels.SelectorFromSet(w.Labels).Matches(labels.Set(target.GetLabels())):
			return true
		}
	}
	return false
}
