package desired

import (
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/crd"
)

// Policies are permissions for operations on a remote object. The zero value permits
// nothing: the object is only observed.
type Policies struct {
	// Manage permits changes of the object at all. A resource without it owns no object, so it
	// may observe one that another resource owns. The other permissions require it.
	Manage bool
	// Create permits creating the object.
	Create bool
	// CreateUnchecked permits creating the object without looking for an existing one first.
	CreateUnchecked bool
	// Update permits changing the object in place. The scheduler relies on its caller for it.
	Update bool
	// Delete permits destroying the object of a deleted resource, and objects that were
	// replaced (deposed objects).
	Delete bool
	// Replace permits destroying the object and creating it again.
	Replace bool
	// ReplaceTainted permits replacing a tainted object, if Replace is set too. Without it, a
	// tainted object stays until a person decides.
	ReplaceTainted bool
	// Protected forbids destroying anything, whatever the others permit.
	Protected bool
	// Approval is which plans wait until a person has approved them.
	Approval Approval
	// Drift is what happens to values that were changed outside Landbridge.
	Drift Drift
}

// FullControl returns Policies that permit every operation.
func FullControl() Policies {
	return Policies{Manage: true, Create: true, Update: true, Delete: true, Replace: true, ReplaceTainted: true}
}

// policies returns what spec.managementPolicies and spec.lifecycle permit.
func policies(actions []string, lifecycle map[string]any) Policies {
	create, update, del := allows(actions, xpv2.ManagementActionCreate), allows(actions, xpv2.ManagementActionUpdate),
		allows(actions, xpv2.ManagementActionDelete)
	return Policies{
		Manage: create || update || del, Create: create, Update: update, Delete: del,
		CreateUnchecked: lifecycle["existenceCheck"] == crd.ExistenceCheckNever,
		Replace:         create && del && lifecycle["replacePolicy"] != crd.ReplaceNever,
		ReplaceTainted:  lifecycle["taintPolicy"] != crd.TaintKeep,
		Protected:       lifecycle["deletionProtection"] == true,
		Approval:        approval(lifecycle["approvalPolicy"]),
		Drift:           drift(lifecycle["driftPolicy"]),
	}
}

// drift reads spec.lifecycle.driftPolicy.
func drift(in any) Drift {
	s, _ := in.(string)
	return parseDrift(s)
}

// approval reads spec.lifecycle.approvalPolicy.
func approval(in any) Approval {
	s, _ := in.(string)
	return ParseApproval(s)
}

// actionsOf returns spec.managementPolicies. Defaults to all actions.
func actionsOf(spec map[string]any) []string {
	if actions, ok, _ := unstructured.NestedStringSlice(spec, "managementPolicies"); ok {
		return actions
	}
	return []string{string(xpv2.ManagementActionAll)}
}

func allows(actions []string, action xpv2.ManagementAction) bool {
	return slices.Contains(actions, string(action)) || slices.Contains(actions, string(xpv2.ManagementActionAll))
}
