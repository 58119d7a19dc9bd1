package upjettest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object returns the managed resource that the provider leaves for an object, given its attributes
// as Terraform's state has them and the names of those that users have set. It is synced and ready.
// External names are ids (IdentifierFromProvider).
func (p Provider) Object(resourceType, namespace, name string, attributes m, set ...string) *unstructured.Unstructured {
	r := p.Schema.Resources[resourceType]
	forProvider, at := m{}, m{}
	for _, a := range slices.Sorted(maps.Keys(attributes)) {
		if attributes[a] == nil {
			continue
		}
		x := r.Block.Attributes[a]
		if x != nil && x.Sensitive || slices.Contains(p.Omitted[resourceType], a) {
			continue
		}
		at[FieldName(a)] = attributes[a]
		if slices.Contains(set, a) {
			forProvider[FieldName(a)] = attributes[a]
		}
	}
	_, kind := groupKind(resourceType)
	u := &unstructured.Unstructured{Object: m{
		"apiVersion": p.APIVersion(resourceType), "kind": kind,
		"spec": m{"forProvider": forProvider},
		"status": m{"atProvider": at, "conditions": []any{
			condition("LastAsyncOperation", "Success"), condition("AsyncOperation", "Finished"),
			condition("Ready", "Available"), condition("Synced", "ReconcileSuccess"),
		}},
	}}
	if p.Namespaced {
		u.SetNamespace(namespace)
	}
	u.SetName(name)
	u.SetFinalizers([]string{"finalizer.managedresource.crossplane.io"})
	u.SetAnnotations(map[string]string{
		"crossplane.io/external-name":             fmt.Sprint(attributes["id"]),
		"crossplane.io/external-create-pending":   "2026-01-02T15:04:04Z",
		"crossplane.io/external-create-succeeded": "2026-01-02T15:04:05Z",
		"upjet.crossplane.io/provider-meta":       "null",
	})
	return u
}

func condition(kind, reason string) any {
	return m{"type": kind, "status": "True", "reason": reason, "lastTransitionTime": "2026-01-02T15:04:05Z"}
}

// Connection returns the connection Secret of a resource that exists: its sensitive attributes, as
// attribute.NAME.
func (p Provider) Connection(resourceType string, owner *unstructured.Unstructured, namespace, name string, attributes m) *corev1.Secret {
	data := map[string][]byte{}
	for a, x := range p.Schema.Resources[resourceType].Block.Attributes {
		if s, ok := attributes[a].(string); x.Sensitive && ok {
			data["attribute."+a] = []byte(s)
		}
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())},
		},
		Type: "connection.crossplane.io/v1alpha1", Data: data,
	}
}

// Credentials returns a provider configuration, and the Secret with its credentials: JSON in one
// key.
func (p Provider) Credentials(kind, namespace, name string, credentials map[string]string) (*unstructured.Unstructured, *corev1.Secret) {
	raw, err := json.Marshal(credentials)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: p.Name + "-" + name},
		Data:       map[string][]byte{"credentials": raw},
	}
	u := &unstructured.Unstructured{Object: m{
		"apiVersion": p.Group() + "/v1beta1", "kind": kind,
		"spec": m{"credentials": m{"source": "Secret", "secretRef": m{"namespace": namespace, "name": secret.Name, "key": "credentials"}}},
	}}
	u.SetName(name)
	if p.Namespaced && kind == "ProviderConfig" {
		u.SetNamespace(namespace)
	}
	return u, secret
}
