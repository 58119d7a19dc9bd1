package scheduler

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// Event is something that happened to a resource, told once, after it is stored.
type Event struct {
	Kind EventKind
	// Operation is what Succeeded, Failed or was Recovered; empty for the others.
	Operation instance.OperationKind
	// Took is how long it took to succeed or fail.
	Took time.Duration
	// Replacement says that the operation is one half of a replacement.
	Replacement bool
	// Deposed is the key of the deposed object that a Delete was about, or that a Create made way for.
	Deposed string
	// Found says of a Recovered create whether it had made an object.
	Found bool
	// Asked says that somebody asked for it by annotation.
	Asked bool
	// Diagnostics say why something Failed.
	Diagnostics diagnostic.Diagnostics
	// Instance is what an operation that ended has left, as far as that is known.
	Instance instance.Instance
	// From and To are the identities before and after IdentityChanged.
	From, To cty.Value
}

// EventKind is what happened.
type EventKind string

// What may happen.
const (
	// Succeeded, Failed: an operation ended.
	Succeeded EventKind = "Succeeded"
	Failed    EventKind = "Failed"
	// Tainted: the object is to be replaced, because its creation did not end well, or because
	// somebody asked for it.
	Tainted EventKind = "Tainted"
	// Untainted: a tainted object is to be kept. It is Partial until it is read.
	Untainted EventKind = "Untainted"
	// Read: a Partial object was read, and is Full.
	Read EventKind = "Read"
	// Imported: an object that existed already was taken over.
	Imported EventKind = "Imported"
	// Recovered: it was found out what became of an operation that nobody had concluded.
	Recovered EventKind = "Recovered"
	// Gone: the object was destroyed by somebody else.
	Gone EventKind = "Gone"
	// IdentityChanged: the same object has another identity, which its provider allows.
	IdentityChanged EventKind = "IdentityChanged"
)

func (r Request) tell(e Event) {
	if r.Tell != nil {
		r.Tell(e)
	}
}
