package scheduler

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Event is something that happened to a resource. It is reported once, after it is stored.
type Event struct {
	Kind EventKind
	// Operation is the kind of operation that Succeeded, Failed or was Recovered; empty for other
	// events.
	Operation instance.OperationKind
	// Took is the duration of the operation. For an object that has Drifted it is the time since
	// the object was last found as it was left; 0 if this process has not found it so.
	Took time.Duration
	// Because is by whose wish the operation was carried out, for people: the spec, the deletion,
	// an approval, and others.
	Because string
	// Replacement is set when the operation is one half of a replacement.
	Replacement bool
	// Deposed is the key of the deposed object that a Delete destroys, or that a Create deposed.
	Deposed string
	// Found is set when a Recovered create had made an object.
	Found bool
	// Repeated is set when a Recovered create, whose outcome is unknown, is repeated with its
	// token.
	Repeated bool
	// Asked is set when an annotation requested it.
	Asked bool
	// Exhausted is set when an object that is Tainted stays, since creates have failed too often.
	Exhausted bool
	// Diagnostics are the errors of an operation that Failed.
	Diagnostics diagnostic.Diagnostics
	// Instance is the result of an operation, if it is known.
	Instance instance.Instance
	// Why is how the object contradicts the configuration of the kind, if it was Contradicted, and
	// the message of the policy that has Warned.
	Why string
	// Hash, By and Action are those of a plan that is carried out because it was Approved.
	Hash, By string
	Action   terraform.Action
	// Drift is what was changed of an object that has Drifted.
	Drift *instance.Drift
	// From and To are the identities before and after IdentityChanged.
	From, To cty.Value
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events.
const (
	// Succeeded, Failed: an operation ended.
	Succeeded EventKind = "Succeeded"
	Failed    EventKind = "Failed"
	// Tainted: the object has to be replaced, because its create failed halfway, or because an
	// annotation requested it.
	Tainted EventKind = "Tainted"
	// Untainted: a tainted object is kept. It is Partial until it is read.
	Untainted EventKind = "Untainted"
	// Read: a Partial object was read, and is Full.
	Read EventKind = "Read"
	// Imported: an existing object was imported.
	Imported EventKind = "Imported"
	// TakenOver: the object of another resource was taken over. Why is that resource.
	TakenOver EventKind = "TakenOver"
	// Recovered: the outcome of an interrupted operation was determined.
	Recovered EventKind = "Recovered"
	// Gone: the object was destroyed outside Landbridge.
	Gone EventKind = "Gone"
	// Approved: a plan is carried out because it was approved.
	Approved EventKind = "Approved"
	// Warned: a policy warns of a plan.
	Warned EventKind = "Warned"
	// IdentityChanged: the object has another identity, which its provider allows.
	IdentityChanged EventKind = "IdentityChanged"
	// NotReapplied: no argument of the object can be set again.
	NotReapplied EventKind = "NotReapplied"
	// Drifted: the object was changed outside Landbridge.
	Drifted EventKind = "Drifted"
	// Left: the object was left where it is: in its account, since another one was confirmed, or
	// when its resource was deleted. Why tells which object stays where.
	Left EventKind = "Left"
	// Contradicted: the object contradicts the identity or import id that the configuration of the
	// kind makes.
	Contradicted EventKind = "Contradicted"
)
