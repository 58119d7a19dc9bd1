package translate

import "strings"

// SecretRefs returns the names and namespaces of the Secrets to which fields of a spec refer, at
// any depth.
func SecretRefs(v any) (out []SecretKeySelector) {
	switch v := v.(type) {
	case map[string]any:
		for field, x := range v {
			if ref, ok := x.(map[string]any); ok && strings.HasSuffix(field, "SecretRef") {
				namespace, _ := ref["namespace"].(string)
				if name, _ := ref["name"].(string); name != "" {
					out = append(out, SecretKeySelector{Namespace: namespace, Name: name})
				}
			}
			out = append(out, SecretRefs(x)...)
		}
	case []any:
		for _, x := range v {
			out = append(out, SecretRefs(x)...)
		}
	}
	return out
}
