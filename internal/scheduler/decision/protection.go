package decision

import (
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Of a resource with spec.lifecycle.deletionProtection nothing is destroyed: neither its object,
// nor one within it, nor one that was replaced before. The API server refuses to delete it, but not
// if a whole kind is deleted, or without the policy.

// deletionProtected returns why the object of a resource is not destroyed, which is being deleted
// or replaced with another.
func deletionProtected(deleted bool) diagnostic.Diagnostics {
	if !deleted {
		return diagnostic.Errorf("Deletion protected",
			"The remote object would be destroyed, which spec.lifecycle.deletionProtection forbids. Set it to false.")
	}
	return diagnostic.Errorf("Deletion protected",
		"The resource is being deleted, and spec.lifecycle.deletionProtection keeps the remote object. "+
			"Set it to false to have the object destroyed, or leave the object with spec.managementPolicies [\"Observe\"].")
}

// changeProtected returns why a plan is not carried out that destroys the object, or one within it.
func changeProtected(p *terraform.Plan) (out diagnostic.Diagnostics) {
	const forbids = "which spec.lifecycle.deletionProtection forbids. Set it to false, or revert the change."
	for _, path := range p.RequiresReplace {
		out = append(out, diagnostic.AttributeErrorf(path, "Deletion protected",
			"This change would destroy and recreate the remote object, "+forbids)...)
	}
	switch {
	case out != nil:
		return out
	case p.Reason == terraform.ReplaceBecauseTainted:
		return diagnostic.Errorf("Deletion protected",
			"The remote object is tainted, and would be destroyed and recreated, which spec.lifecycle.deletionProtection forbids. "+
				"Set it to false, or untaint the resource.")
	case p.Action.IsReplace():
		return diagnostic.Errorf("Deletion protected", "This change would destroy and recreate the remote object, "+forbids)
	}
	return diagnostic.Errorf("Deletion protected", "This change would destroy %s, "+forbids, strings.Join(p.Destroys(), ", "))
}
