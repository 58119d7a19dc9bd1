package migrate

import (
	"slices"
	"strings"
)

// targets returns the resources that a reference is to. Its kind is not known, so if several have
// the name, it is that whose kind the field is called after.
func (o Upjet) targets(ref reference, all []Upjet) []Upjet {
	namespace := o.GetNamespace()
	if ref.namespace != "" && namespace != "" {
		namespace = ref.namespace
	}
	named := slices.DeleteFunc(slices.Clone(all), func(x Upjet) bool {
		return x.Unstructured == o.Unstructured || x.GetNamespace() != namespace || x.GetName() != ref.name
	})
	if len(named) > 1 {
		named = slices.DeleteFunc(named, func(x Upjet) bool {
			return !strings.HasPrefix(strings.ToLower(ref.field), strings.ToLower(x.GetKind()))
		})
	}
	return named
}

// reference is the field of a reference, such as vpcIdRef, and what is in it. namespace is empty
// for the same one.
type reference struct{ field, namespace, name string }

// isReference reports whether a field is a reference or a selector by its name and content.
func isReference(name string, in any) bool {
	content, _ := in.(map[string]any)
	switch {
	case strings.HasSuffix(name, "SecretRef"):
		return false
	case strings.HasSuffix(name, "Selector"):
		for key := range content {
			if !slices.Contains([]string{"matchLabels", "matchControllerRef", "namespace", "policy"}, key) {
				return false
			}
		}
		return content != nil
	case strings.HasSuffix(name, "Ref"):
		return content["name"] != nil
	case strings.HasSuffix(name, "Refs"):
		list, ok := in.([]any)
		return ok && !slices.ContainsFunc(list, func(x any) bool {
			content, _ := x.(map[string]any)
			return content["name"] == nil
		})
	}
	return false
}

// referred returns the references in a spec: vpcIdRef and subnetIdRefs.
func referred(in any) []reference {
	var out []reference
	switch in := in.(type) {
	case map[string]any:
		for key, x := range in {
			switch {
			case key == "providerConfigRef", strings.HasSuffix(key, "SecretRef"), key == "writeConnectionSecretToRef":
			case strings.HasSuffix(key, "Ref"), strings.HasSuffix(key, "Refs"):
				list, ok := x.([]any)
				if !ok {
					list = []any{x}
				}
				for _, ref := range list {
					if ref, ok := ref.(map[string]any); ok {
						namespace, _ := ref["namespace"].(string)
						if name, _ := ref["name"].(string); name != "" {
							out = append(out, reference{key, namespace, name})
						}
					}
				}
			default:
				out = append(out, referred(x)...)
			}
		}
	case []any:
		for _, x := range in {
			out = append(out, referred(x)...)
		}
	}
	return out
}
