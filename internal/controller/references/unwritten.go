package references

import (
	"encoding/json"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Unwritten is a part of a resource in which references set values in memory only: a list, which
// belongs as a whole to who has applied it, so that a write would be a conflict for the next
// server-side apply; or spec.import.identity, which is immutable. The values follow what they are
// of.
type Unwritten struct {
	// Path has the fields from the root of the resource to the part.
	Path []string
	// stored is the part as it is stored, if exists is set. depth is the number of fields of the
	// path that exist.
	stored any
	exists bool
	depth  int
}

// unwritten returns the path of the part of a resource that has a field at a path, if values there
// are not written; nil if they are.
func unwritten(path string) []string {
	segments, err := fieldpath.Parse(path)
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range segments {
		if s.Type != fieldpath.SegmentField {
			return out
		}
		out = append(out, s.Field)
	}
	if len(out) > len(importIdentity) && slices.Equal(out[:len(importIdentity)], importIdentity) {
		return importIdentity
	}
	return nil
}

var importIdentity = []string{"spec", "import", "identity"}

// keep notes a part as it is stored, before a value is set in it.
func (out *Resolution) keep(u *unstructured.Unstructured, path []string) {
	if slices.ContainsFunc(out.Unwritten, func(x Unwritten) bool { return slices.Equal(x.Path, path) }) {
		return
	}
	part := Unwritten{Path: path}
	for ; part.depth < len(path); part.depth++ {
		if _, ok, err := unstructured.NestedFieldNoCopy(u.Object, path[:part.depth+1]...); !ok || err != nil {
			break
		}
	}
	if part.exists = part.depth == len(path); part.exists {
		stored, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
		part.stored = runtime.DeepCopyJSONValue(stored)
	}
	out.Unwritten = append(out.Unwritten, part)
}

// Withhold takes values that are not written out of a resource. restore sets them again, also if
// the resource was read or written meanwhile.
func Withhold(u *unstructured.Unstructured, parts []Unwritten) (restore func()) {
	values := make([]any, len(parts))
	for i, part := range parts {
		values[i], _, _ = unstructured.NestedFieldNoCopy(u.Object, part.Path...)
		if part.exists {
			set(u, part.stored, part.Path)
			continue
		}
		unstructured.RemoveNestedField(u.Object, part.Path...)
		for n := len(part.Path) - 1; n > part.depth; n-- {
			within, _, _ := unstructured.NestedFieldNoCopy(u.Object, part.Path[:n]...)
			if fields, ok := within.(map[string]any); !ok || len(fields) > 0 {
				break
			}
			unstructured.RemoveNestedField(u.Object, part.Path[:n]...)
		}
	}
	return func() {
		for i, part := range parts {
			set(u, values[i], part.Path)
		}
	}
}

func set(u *unstructured.Unstructured, value any, path []string) {
	_ = unstructured.SetNestedField(u.Object, value, path...) // the CRD's schema has objects on the path
}

// Values returns the parts of a resource whose values are not written as text, which is the same
// for the same values; empty if there are none.
func Values(u *unstructured.Unstructured, parts []Unwritten) string {
	if len(parts) == 0 {
		return ""
	}
	values := make([]any, len(parts))
	for i, part := range parts {
		values[i], _, _ = unstructured.NestedFieldNoCopy(u.Object, part.Path...)
	}
	text, _ := json.Marshal(values) // they are JSON
	return string(text)
}
