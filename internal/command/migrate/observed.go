package migrate

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// connectionPrefix begins the keys of a connection Secret that hold attributes, in Upjet as in
// Landbridge.
const connectionPrefix = "attribute."

// observed returns the state of the object as Upjet makes it anew for each reconcile: what is
// observed, sensitive attributes in the connection Secret, and what is declared. It is nil if
// nothing was observed.
func (o Upjet) observed(secrets Secrets) *instance.Instance {
	at, _, _ := unstructured.NestedMap(o.Object, "status", "atProvider")
	if len(at) == 0 {
		return nil
	}
	m := &fields{what: o.Type.Type, values: true, secret: func(ref translate.SecretKeySelector) ([]byte, error) {
		if ref.Namespace == "" {
			ref.Namespace = o.GetNamespace()
		}
		return secrets.key(ref)
	}}
	root := o.Type.Root()
	values := m.object(root, o.everything(), "")
	for key, value := range o.connection(secrets) {
		name, ok := strings.CutPrefix(key, connectionPrefix)
		f := root.Object.ByTerraform(name)
		if !ok || f == nil || values[f.JSONName] != nil {
			continue
		}
		var v any = string(value)
		if !f.Type.IsPrimitive() && json.Unmarshal(value, &v) != nil {
			continue
		}
		if v = m.value(f.Type, v, ""); v != nil {
			values[f.JSONName] = v
		}
	}
	state, diags := translate.Decode(root, values)
	if diags.HasErrors() {
		return nil
	}
	out := &instance.Instance{State: state, SchemaVersion: o.Type.Schema.Version, Status: instance.Full}
	if private := o.GetAnnotations()[annotationPrivate]; private != "" {
		out.Private = []byte(private)
	}
	return out
}

// connection returns the data of the connection Secret; nil if there is none.
func (o Upjet) connection(secrets Secrets) map[string][]byte {
	namespace, name := o.connectionSecret()
	if name == "" || secrets == nil {
		return nil
	}
	data, err := secrets(namespace, name)
	if err != nil {
		return nil
	}
	return data
}

// connectionSecret returns where the connection Secret is; empty without one.
func (o Upjet) connectionSecret() (namespace, name string) {
	ref, _, _ := unstructured.NestedMap(o.Object, "spec", "writeConnectionSecretToRef")
	name, _ = ref["name"].(string)
	if namespace, _ = ref["namespace"].(string); namespace == "" {
		namespace = o.GetNamespace()
	}
	return namespace, name
}
