package decision

import (
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// These refusals are those of several rules, or of what follows them.

// denied refuses what policies deny. The resource is woken when they change.
func denied(by []policy.Result) (Step, bool) {
	if len(by) == 0 {
		return nothing()
	}
	var messages []string
	for _, d := range by {
		messages = append(messages, d.String())
	}
	step, _ := refuse(Failed(ReasonDenied, diagnostic.Errorf("Denied by policy", "%s", strings.Join(messages, "; "))))
	return as(RefuseForNow, step), true
}

// paused refuses while operations are paused. The resource is woken when that changes.
func paused(why string) (Step, bool) {
	if why == "" {
		return nothing()
	}
	step, _ := refuse(Failed(ReasonOperationsPaused, diagnostic.Errorf("Operations paused", "%s", why)))
	return as(RefuseForNow, step), true
}

// interrupted refuses after an interrupt.
func interrupted() *Error {
	return Failed(ReasonInterrupted, diagnostic.Errorf("Operation interrupted",
		"The last operation was interrupted by request. Nothing is done until the spec changes, or until a retry is "+
			"requested with the annotation landbridge.io/retry."))
}

// Conflict is the owner of an object that a resource claims.
type Conflict struct {
	// Owner is how a message names the owner, and Type the type of the object.
	Owner, Type string
	// Module is set for a resource with several objects, and Deleted when it is being deleted.
	Module, Deleted bool
}

// Refusal returns the error of the resource that is not the owner.
func (c Conflict) Refusal() *Error {
	switch {
	case c.Module && c.Deleted:
		return Failed(ReasonIdentityConflict, diagnostic.Errorf("Identity conflict",
			"A remote object of type %s belongs to %s, so the objects of this instance are not destroyed. Delete "+
				"that resource, or remove Delete from spec.managementPolicies of this one, which leaves "+
				"all its objects.",
			c.Type, c.Owner))
	case c.Module:
		return Failed(ReasonIdentityConflict, diagnostic.Errorf("Identity conflict",
			"A remote object of type %s belongs to %s, so this instance changes and deletes none of its objects. "+
				"Delete one of the two resources, or change this one so that it does not have the object.",
			c.Type, c.Owner))
	}
	return Failed(ReasonIdentityConflict, diagnostic.Errorf("Identity conflict",
		"The remote object belongs to %s, so this resource neither changes nor deletes it. Delete one of the two "+
			"resources, or change this one to declare another object.",
		c.Owner))
}

// Awaited is what is told of an interrupted create whose object may appear until a time.
func Awaited(op *instance.Operation, until time.Time) diagnostic.Diagnostics {
	return diagnostic.Errorf("Create outcome unknown",
		"A create (operation %s) was interrupted; its object does not exist, but may still appear until %s. "+
			"If you know that there will be none, set the annotation landbridge.io/confirm-create to %q.", op.ID,
		until.UTC().Format(time.RFC3339), op.ID)
}
