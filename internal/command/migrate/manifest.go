package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/importer"
)

// Complete adds what an old resource asks for to the manifest of its object.
func (o Upjet) Complete(m *importer.Manifest) {
	u := m.Resource
	spec := u.Object["spec"].(map[string]any)
	old, _ := o.Object["spec"].(map[string]any)
	if labels := o.GetLabels(); len(labels) > 0 {
		u.SetLabels(labels)
	}
	o.annotate(u)
	if policies := policies(old); policies != nil && m.Observes == "" {
		spec["managementPolicies"] = policies
	}
	if ref, _ := old["writeConnectionSecretToRef"].(map[string]any); ref["name"] != nil {
		spec["writeConnectionSecretToRef"] = map[string]any{"name": ref["name"]}
		if ns, _ := ref["namespace"].(string); ns != "" && ns != u.GetNamespace() {
			m.Notes = append(m.Notes, fmt.Sprintf("The connection Secret is written to namespace %s, and not to %s.", u.GetNamespace(), ns))
		}
	}
	forProvider, _ := old["forProvider"].(map[string]any)
	given, _ := spec["forProvider"].(map[string]any)
	secrets(m, forProvider, given)
	initProvider, _ := old["initProvider"].(map[string]any)
	initial := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(initProvider)) {
		if _, always := forProvider[name]; !always && given[name] != nil {
			initial[name] = given[name]
			delete(given, name)
		}
	}
	if len(initial) > 0 {
		spec["initProvider"] = initial
		withoutInitial(spec, initial)
	}
}

// withoutInitial removes references to fields that are not in forProvider any more.
func withoutInitial(spec, initial map[string]any) {
	all, _ := spec["references"].([]any)
	all = slices.DeleteFunc(all, func(ref any) bool {
		to, _ := ref.(map[string]any)["to"].(string)
		name := strings.TrimPrefix(to, "forProvider.")
		if end := strings.IndexAny(name, ".["); end >= 0 {
			name = name[:end]
		}
		return initial[name] != nil
	})
	if len(all) == 0 {
		delete(spec, "references")
	} else {
		spec["references"] = all
	}
}

// annotate copies the annotations of users.
func (o Upjet) annotate(u *unstructured.Unstructured) {
	annotations := u.GetAnnotations()
	for name, value := range o.GetAnnotations() {
		domain, _, _ := strings.Cut(name, "/")
		if strings.HasSuffix(domain, "crossplane.io") || strings.HasSuffix(domain, "upbound.io") || domain == "kubectl.kubernetes.io" {
			continue
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[name] = value
	}
	u.SetAnnotations(annotations)
}

// policies returns spec.managementPolicies; nil for the default.
func policies(old map[string]any) []any {
	all, _, _ := unstructured.NestedSlice(old, "managementPolicies")
	if len(all) == 0 {
		all = []any{"*"}
	}
	if old["deletionPolicy"] == "Orphan" {
		if slices.Contains(all, any("*")) {
			all = []any{"Observe", "Create", "Update", "Delete", "LateInitialize"}
		}
		all = slices.DeleteFunc(all, func(p any) bool { return p == "Delete" })
	}
	if slices.Equal(all, []any{"*"}) {
		return nil
	}
	return all
}

// secrets makes sensitive fields refer to the Secrets of the old resource.
func secrets(m *importer.Manifest, old, given map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		ref, _ := given[name].(map[string]any)
		was, _ := old[name].(map[string]any)
		if ref == nil || was == nil {
			continue
		}
		if !strings.HasSuffix(name, "SecretRef") {
			secrets(m, was, ref)
			continue
		}
		if was["name"] == nil || was["key"] == nil {
			continue
		}
		about := fmt.Sprintf("into the key %s of the Secret %s.", ref["key"], ref["name"])
		m.Notes = slices.DeleteFunc(m.Notes, func(note string) bool { return strings.HasSuffix(note, about) })
		if ns, _ := was["namespace"].(string); ns != "" && ns != m.Resource.GetNamespace() {
			m.Notes = append(m.Notes, fmt.Sprintf("Sensitive: copy the Secret %s from namespace %s to %s.", was["name"], ns, m.Resource.GetNamespace()))
		}
		ref["name"], ref["key"] = was["name"], was["key"]
	}
}
