package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/importer"
)

// Complete adds what the old resource asks for to the manifest of its object.
func (t *Takeover) Complete(m *importer.Manifest) {
	o, u := t.Old, m.Resource
	spec := u.Object["spec"].(map[string]any)
	old, _ := o.Object["spec"].(map[string]any)
	if labels := o.GetLabels(); len(labels) > 0 {
		u.SetLabels(labels)
	}
	o.annotate(u)
	policies := policies(old)
	if len(policies) == 1 && policies[0] == "Observe" {
		m.Observes, m.Changes = "", nil // as the old one
		m.Notes = slices.DeleteFunc(m.Notes, func(note string) bool { return strings.HasPrefix(note, "Only observes, since ") })
	}
	if policies != nil && m.Observes == "" {
		spec["managementPolicies"] = policies
	}
	if namespace, name := o.connectionSecret(); name != "" {
		spec["writeConnectionSecretToRef"] = map[string]any{"name": name}
		if namespace != "" && namespace != u.GetNamespace() {
			m.Notes = append(m.Notes, fmt.Sprintf("The connection Secret is written to namespace %s, and not to %s.", u.GetNamespace(), namespace))
		}
	}
	if old["publishConnectionDetailsTo"] != nil {
		m.Notes = append(m.Notes, "spec.publishConnectionDetailsTo is left out: connection details are written to Secrets only.")
	}
	if t.Item.Declared != nil && len(t.Item.Declared.InitProvider) > 0 {
		spec["initProvider"] = t.Item.Declared.InitProvider
	}
	for _, name := range slices.Sorted(maps.Keys(t.Copies)) {
		m.Notes = append(m.Notes, fmt.Sprintf("Sensitive: copy the Secret %s from namespace %s to %s.", name,
			t.Copies[name].Namespace, u.GetNamespace()))
	}
	m.Notes = append(m.Notes, t.notes...)
}

// annotate copies the annotations of users.
func (o Upjet) annotate(u *unstructured.Unstructured) {
	annotations := u.GetAnnotations()
	for name, value := range o.GetAnnotations() {
		domain, _, _ := strings.Cut(name, "/")
		if strings.HasSuffix(domain, "crossplane.io") || strings.HasSuffix(domain, "upbound.io") ||
			domain == "kubectl.kubernetes.io" || name == annotationHandOver {
			continue
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[name] = value
	}
	u.SetAnnotations(annotations)
}

// actions are those of "*" in managementPolicies, except for Delete.
var actions = []any{"Observe", "Create", "Update", "LateInitialize"}

// policies returns spec.managementPolicies; nil for the default. An object that was to be orphaned
// stays so, whatever the old policies make of both.
func policies(old map[string]any) []any {
	all, given, _ := unstructured.NestedSlice(old, "managementPolicies")
	if !given {
		all = []any{"*"}
	}
	if old["deletionPolicy"] == "Orphan" {
		if slices.Contains(all, any("*")) {
			all = slices.Clone(actions)
		}
		all = slices.DeleteFunc(all, func(p any) bool { return p == "Delete" })
	}
	if slices.Equal(all, []any{"*"}) {
		return nil
	}
	return all
}

// orphaning returns the spec.deletionPolicy and spec.managementPolicies with which an old resource
// does not destroy its object; nil where they are as they should be. A kind without a namespace has
// a deletionPolicy, unless its provider is older than that; other kinds do not.
func orphaning(old map[string]any) (deletionPolicy any, managementPolicies []any) {
	all, given, _ := unstructured.NestedSlice(old, "managementPolicies")
	deletion, hasDeletion := old["deletionPolicy"].(string)
	if hasDeletion && deletion != "Orphan" {
		deletionPolicy = "Orphan"
	}
	switch {
	case slices.Equal(all, []any{"*"}), !given:
		// With the deletionPolicy, the default stays: other policies need a feature to be enabled.
		if !hasDeletion {
			managementPolicies = slices.Clone(actions)
		}
	case slices.Contains(all, any("*")):
		managementPolicies = slices.Clone(actions)
	case slices.Contains(all, any("Delete")):
		managementPolicies = slices.DeleteFunc(slices.Clone(all), func(p any) bool { return p == "Delete" })
	}
	return deletionPolicy, managementPolicies
}
