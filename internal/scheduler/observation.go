package scheduler

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/settling"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Observation is the result of Observe.
type Observation struct {
	Instance instance.Instance
	// Plan is the plan for Apply; nil while an operation runs, and without a Config.
	Plan *terraform.Plan
	// PlanHash identifies what is to be done, and PlanAction is what it is: the plan, or that the
	// object of a deleted resource is destroyed. Empty if nothing is to be done.
	PlanHash   string
	PlanAction terraform.Action
	// Cascade is that of the request, if the plan is a replacement.
	Cascade Cascade
	// Resumed is set when an earlier process has made the plan. The next observation is another
	// one, with a plan of this process.
	Resumed bool
	// Unrivalled is set when the plan creates an object that no other resource can have: nothing
	// identifies it beforehand.
	Unrivalled bool
	// Imported is set when this Observe imported the object: the plan that follows from the import
	// was not reported yet.
	Imported bool
	// Reapply is the token of the request to set arguments again that the plan was made for; empty
	// if there was none.
	Reapply string
	// Stalled is set when a tainted object is not replaced any more, because creates of the
	// configuration have failed too often.
	Stalled bool
	// Inconsistent is set when a tainted object is not replaced, because its create has left
	// another one than was planned, and would again.
	Inconsistent bool
	// Held is set when nothing begins, because an operation was interrupted and the resource has
	// not changed since.
	Held bool
	// Contradiction is how the object contradicts the configuration of the kind, which makes
	// another identity or import id of it; empty if it does not.
	Contradiction string
	// Missing is set when the object is not found, and it is not known whether it exists.
	Missing bool
	// Drift is what was changed outside Landbridge and the configuration wants to be otherwise; nil
	// if there is none.
	Drift *instance.Drift
	// Unsettled is set when the configuration wants the object to be changed again and again.
	Unsettled *settling.Unsettled
	// Flap is set when something else changes the object back again and again.
	Flap *Flap
	// Operation is the running operation, or the one whose outcome is unknown.
	Operation *instance.Operation
	// Interrupted is set when the running operation was interrupted and has not ended yet.
	Interrupted bool
	// Progress is the provider's latest message about the running operation. Secrets of the
	// resource are not redacted in it.
	Progress string
	// Unrecorded is set when the running operation has ended, but its outcome cannot be stored.
	Unrecorded *Error
	// Last is the outcome of the last operation of this process; nil when there was none.
	Last *Outcome
	// Warnings are the provider's.
	Warnings diagnostic.Diagnostics
}

// Exists reports whether there is a remote object.
func (o *Observation) Exists() bool { return o.Instance.Exists() }

// UpToDate reports whether the object matches its configuration, and no deposed object is left.
func (o *Observation) UpToDate() bool {
	return o.Plan != nil && o.Plan.Action == terraform.NoOp && len(o.Instance.Deposed) == 0
}

// Outcome is the result of an operation.
type Outcome struct {
	Kind instance.OperationKind
	// Generation is that of the spec that it was begun for.
	Generation  int64
	At          time.Time
	Diagnostics diagnostic.Diagnostics
	// RetryAt is the time at which a failed operation may be tried again.
	RetryAt time.Time
}

// Failed reports whether the operation failed.
func (o *Outcome) Failed() bool { return o != nil && o.Diagnostics.HasErrors() }

// Cascade is what is destroyed together with an object that is replaced.
type Cascade struct {
	// Hash identifies the resources whose objects are destroyed; empty if there are none. The hash
	// of a plan covers it.
	Hash string
	// Approval is set when a plan of the replacement needs an approval because of them.
	Approval bool
}

// ReplacementStep is a step of the replacement of an object that waits for the resources that refer
// to it.
type ReplacementStep string

const (
	// PlanReplacement is asked for before the plan of a replacement can be approved: the resources
	// that refer to the object tell what they would do.
	PlanReplacement ReplacementStep = "PlanReplacement"
	// Replace begins the replacement: the object is destroyed, or the new one is created first.
	Replace ReplacementStep = "Replace"
	// Recreate creates an object in place of one that is not found: it was destroyed outside
	// Landbridge, or by an operation whose outcome is not known.
	Recreate ReplacementStep = "Recreate"
	// DestroyDeposed destroys an object after another one was created in its place.
	DestroyDeposed ReplacementStep = "DestroyDeposed"
)

// Flap describes an object that something else changes back again and again.
type Flap struct {
	// Paths are the attributes that are changed.
	Paths []cty.Path
	// Other is the resource that sets them to other values; the zero value if it is not known.
	Other store.Key
}

// upToDate is the plan of all resources whose object matches their configuration.
var upToDate = terraform.Plan{Action: terraform.NoOp}

// Rested is the observation of each resource at rest. It lacks the values of the object.
var Rested = &Observation{Instance: instance.Instance{Status: instance.Full}, Plan: &upToDate}

// Steady reports whether an observation leaves nothing to do.
func (o *Observation) Steady() bool {
	return o != nil && o.Instance.Status == instance.Full && len(o.Instance.Deposed) == 0 &&
		(o.Plan == nil || o.Plan.Action == terraform.NoOp) &&
		o.Operation == nil && o.Unrecorded == nil && !o.Stalled && !o.Held && o.Flap == nil && o.Drift == nil && o.Unsettled == nil
}
