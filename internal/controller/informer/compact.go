package informer

import (
	"unique"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Compact reduces the size of an object before it is cached. It drops the managed fields, which no controller reads
// and which are half of a resource's size. It lets equal strings share memory, since field names and many values are
// the same in all resources of a kind. It copies the maps and slices of an unstructured object.
func Compact(in any) (any, error) {
	o, err := meta.Accessor(in)
	if err != nil {
		return in, nil // a tombstone, for example
	}
	o.SetManagedFields(nil)
	if u, ok := in.(*unstructured.Unstructured); ok {
		u.Object = sharing(u.Object).(map[string]any)
	}
	return in, nil
}

// maxShared is the length up to which a string is shared: longer ones are seldom repeated.
const maxShared = 64

func shared(s string) string {
	if len(s) > maxShared {
		return s
	}
	return unique.Make(s).Value()
}

func sharing(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[shared(k)] = sharing(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = sharing(e)
		}
		return out
	case string:
		return shared(v)
	default:
		return v
	}
}
