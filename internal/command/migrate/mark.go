package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// annotationHandOver marks an old resource from the beginning of its hand-over on. Its value is
	// a mark.
	annotationHandOver = "landbridge.io/handed-over"
	// labelFrom marks what a hand-over has created. Its value is the UID of the old resource.
	labelFrom = "landbridge.io/handed-over-from"
)

// target names a new resource.
type target struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

func (t target) object() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(t.APIVersion)
	u.SetKind(t.Kind)
	u.SetNamespace(t.Namespace)
	u.SetName(t.Name)
	return u
}

func (t target) String() string { return titleOf(t.object()) }

func titleOf(u *unstructured.Unstructured) string {
	return fmt.Sprintf("%s %s/%s", u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName())
}

// mark has what is needed to go on with a hand-over, and to undo it.
type mark struct {
	To target `json:"to"`
	// Paused is set if the old resource was paused before.
	Paused bool `json:"paused,omitempty"`
	// DeletionPolicy and ManagementPolicies are those before; absent if they were.
	DeletionPolicy     any   `json:"deletionPolicy,omitempty"`
	ManagementPolicies []any `json:"managementPolicies"`
	// Done is set at the end, with the generation that the new resource has then.
	Done       bool  `json:"done,omitempty"`
	Generation int64 `json:"generation,omitempty"`
}

// markOf returns the mark of an old resource; nil if it has none.
func markOf(u *unstructured.Unstructured) (*mark, error) {
	raw, ok := u.GetAnnotations()[annotationHandOver]
	if !ok {
		return nil, nil
	}
	out := &mark{}
	if err := json.Unmarshal([]byte(raw), out); err != nil || out.To.Name == "" {
		return nil, fmt.Errorf("its annotation %s is malformed. Restore it, or remove it if no new resource exists", annotationHandOver)
	}
	return out, nil
}

// HandedOver returns the new resource for people, if the hand-over of an old one has begun; done is
// set if it has ended.
func HandedOver(u *unstructured.Unstructured) (to string, done bool, err error) {
	k, err := markOf(u)
	if err != nil || k == nil {
		return "", false, err
	}
	return k.To.String(), k.Done, nil
}

// newMark returns the mark for the hand-over of an old resource.
func newMark(old *unstructured.Unstructured) *mark {
	spec, _ := old.Object["spec"].(map[string]any)
	out := &mark{Paused: meta.IsPaused(old), DeletionPolicy: spec["deletionPolicy"]}
	out.ManagementPolicies, _ = spec["managementPolicies"].([]any)
	return out
}

func targetOf(u *unstructured.Unstructured) target {
	return target{APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
}

// hold pauses an old resource, and makes it orphan its object.
func (k *mark) hold(old *unstructured.Unstructured) {
	spec := old.Object["spec"].(map[string]any)
	deletion, policies := orphaning(spec)
	if deletion != nil {
		spec["deletionPolicy"] = deletion
	}
	if policies != nil {
		spec["managementPolicies"] = policies
	}
	meta.AddAnnotations(old, map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
}

// restore makes an old resource as it was before its hand-over.
func (k *mark) restore(old *unstructured.Unstructured) {
	spec := old.Object["spec"].(map[string]any)
	delete(spec, "deletionPolicy")
	if k.DeletionPolicy != nil {
		spec["deletionPolicy"] = k.DeletionPolicy
	}
	delete(spec, "managementPolicies")
	if k.ManagementPolicies != nil {
		spec["managementPolicies"] = k.ManagementPolicies
	}
	meta.RemoveAnnotations(old, annotationHandOver)
	if !k.Paused {
		meta.RemoveAnnotations(old, meta.AnnotationKeyReconciliationPaused)
	}
}

// write writes the mark to an old resource.
func (k *mark) write(old *unstructured.Unstructured) error {
	raw, err := json.Marshal(k)
	if err != nil {
		return err
	}
	meta.AddAnnotations(old, map[string]string{annotationHandOver: string(raw)})
	return nil
}

// isFrom reports whether an object was created by the hand-over of an old resource.
func isFrom(u, old *unstructured.Unstructured) bool {
	return u.GetLabels()[labelFrom] == string(old.GetUID())
}

// sumOf returns the checksum of what a plan depends on: what is declared, the external name, and
// what was observed, except for the policies.
func sumOf(u *unstructured.Unstructured) string {
	spec, _ := u.Object["spec"].(map[string]any)
	spec = maps.Clone(spec)
	delete(spec, "deletionPolicy")
	delete(spec, "managementPolicies")
	status, _ := u.Object["status"].(map[string]any)
	// JSON of an API server can always be encoded.
	raw, _ := json.Marshal([]any{spec, status["atProvider"], meta.GetExternalName(u)})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// conditionOf returns a condition; nil without it.
func conditionOf(u *unstructured.Unstructured, kind string) map[string]any {
	all, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	i := slices.IndexFunc(all, func(c any) bool { m, _ := c.(map[string]any); return m["type"] == kind })
	if i < 0 {
		return nil
	}
	return all[i].(map[string]any)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
