package diff

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lastApplied is the annotation in which kubectl apply remembers what it has applied.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// defaultManager is the field manager of server-side applies if the object names no other.
const defaultManager = "kubectl"

// dryRun returns what an object would be after it was applied, with the defaults of the API server.
// Objects that kubectl apply made are merged as kubectl does it, others by server-side apply, with
// the field manager that has applied their spec. live is the object as it is; nil if it does not
// exist yet.
func dryRun(
	ctx context.Context, c client.Client, manager string, u *unstructured.Unstructured,
) (merged, live *unstructured.Unstructured, err error) {
	live = u.DeepCopy()
	err = c.Get(ctx, client.ObjectKeyFromObject(u), live)
	switch {
	case kerrors.IsNotFound(err):
		merged = u.DeepCopy()
		return merged, nil, c.Create(ctx, merged, client.DryRunAll)
	case err != nil:
		return nil, nil, err
	case live.GetDeletionTimestamp() != nil:
		return live, live, nil
	}
	wanted, err := json.Marshal(u)
	if err != nil {
		return nil, live, err
	}
	merged = live.DeepCopy()
	if before := live.GetAnnotations()[lastApplied]; before != "" && manager == "" {
		current, err := json.Marshal(live)
		if err != nil {
			return nil, live, err
		}
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(before), wanted, current)
		if err != nil {
			return nil, live, fmt.Errorf("the annotation %s cannot be used: %w", lastApplied, err)
		}
		if string(patch) == "{}" {
			return live, live, nil
		}
		return merged, live, c.Patch(ctx, merged, client.RawPatch(types.MergePatchType, patch), client.DryRunAll)
	}
	return merged, live, c.Patch(ctx, merged, client.RawPatch(types.ApplyPatchType, wanted), client.DryRunAll, client.ForceOwnership,
		client.FieldOwner(managerOf(live, manager)))
}

// differs reports whether applying an object changes what is not bookkeeping of the API server and
// of kubectl.
func differs(merged, live *unstructured.Unstructured) bool {
	plain := func(u *unstructured.Unstructured) map[string]any {
		u = u.DeepCopy()
		u.SetManagedFields(nil)
		u.SetResourceVersion("")
		u.SetGeneration(0)
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations", lastApplied)
		if len(u.GetAnnotations()) == 0 {
			u.SetAnnotations(nil)
		}
		return u.Object
	}
	return live == nil || !equality.Semantic.DeepEqual(plain(merged), plain(live))
}

// managerOf returns the field manager that has applied the spec of an object.
func managerOf(live *unstructured.Unstructured, manager string) string {
	if manager != "" {
		return manager
	}
	for _, f := range live.GetManagedFields() {
		if f.Operation != metav1.ManagedFieldsOperationApply || f.FieldsV1 == nil || f.Subresource != "" {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(f.FieldsV1.GetRawBytes(), &fields) == nil && fields["f:spec"] != nil {
			return f.Manager
		}
	}
	return defaultManager
}
