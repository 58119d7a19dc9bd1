package informer

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Compact reduces the size of an object before it is cached. It drops the managed fields, which no controller reads
// and which are half of a resource's size. It lets equal parts of several objects share memory, since field names and many
// values are the same in all resources of a kind. So nothing of the object may be changed afterwards. It copies what it shares.
func Compact(in any) (any, error) {
	o, err := meta.Accessor(in)
	if err != nil {
		return in, nil // a tombstone, for example
	}
	o.SetManagedFields(nil)
	if u, ok := in.(*unstructured.Unstructured); ok {
		u.Object = compact("", u.Object).(map[string]any)
	}
	return in, nil
}

// singular are parts of an object that no other object has the same, by their keys; "" is the object itself.
var singular = map[string]bool{"": true, "metadata": true, "annotations": true, "status": true, "atProvider": true}

// compact returns a copy of a part of an object, with shared parts.
func compact(key string, v any) any {
	m, ok := v.(map[string]any)
	if !ok || !singular[key] {
		out, _ := sharing(v)
		return out
	}
	out := make(map[string]any, len(m))
	for key, e := range m {
		out[text(key)] = compact(key, e)
	}
	return out
}
