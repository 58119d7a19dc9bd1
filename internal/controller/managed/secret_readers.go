package managed

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// A resource whose configuration reads the connection Secret of another one depends on the object
// of that one. When that is replaced, the keys of the Secret that its plan changes are known
// afterwards.

// hearSecrets records which Secrets a resource reads and writes; none if it is gone.
func (k *Kind) hearSecrets(u *unstructured.Unstructured, gone bool) {
	var reads []string
	writes := ""
	if !gone {
		if k.Model.Root().HasSecrets() {
			reads = references.SecretsRead(u)
		}
		writes = references.SecretWritten(u)
	}
	k.Neighbours.References().Secrets(k.key(u), reads, writes)
}

// knownLater returns what reports whether a value of a Secret that a resource reads is known only
// when the objects are there that replace others.
func (k *Kind) knownLater(key store.Key, replaced map[store.Key]*unstructured.Unstructured) func(translate.SecretKeySelector) bool {
	return func(ref translate.SecretKeySelector) bool {
		for _, writer := range k.Neighbours.References().Writers(key) {
			of := k.Neighbours.Kind(schema.GroupKind{Group: writer.Group, Kind: writer.Kind})
			if x := replaced[writer]; x != nil && of != nil && references.SecretWritten(x) == ref.Name && of.changesDetail(x, ref.Key) {
				return true
			}
		}
		return false
	}
}

// changesDetail reports whether the replacement of the object of a resource may change the value of
// a key of its connection Secret: of one that status.plan does not replace, nothing is known.
func (k *Kind) changesDetail(u *unstructured.Unstructured, key string) bool {
	action, _, _ := unstructured.NestedString(u.Object, "status", "plan", "action")
	path, isAttribute := strings.CutPrefix(key, "attribute.")
	if !isAttribute || !terraform.Action(action).IsReplace() {
		return true
	}
	attribute, _, _ := strings.Cut(path, ".")
	changes, _, _ := unstructured.NestedSlice(u.Object, "status", "plan", "changes")
	f := k.Model.Root().Object.ByTerraform(attribute)
	return f == nil || changesField(changes, f.JSONName)
}

// changesField reports whether changes of status.plan may change a field, or a part of it.
func changesField(changes []any, field string) bool {
	for _, x := range changes {
		change, _ := x.(map[string]any)
		path, _ := change["path"].(string)
		rest, within := strings.CutPrefix(path, field)
		if path == "" || path == "…" || within && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
			return true
		}
	}
	return false
}
