package instance

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// Instance is what is remembered about one remote object between operations. The zero
// value is an instance of which nothing exists.
type Instance struct {
	// State is of the resource type's implied type, wholly known; cty.NilVal or null when
	// nothing exists.
	State         cty.Value
	SchemaVersion int64
	// Identity is of the identity schema's implied type, wholly known; cty.NilVal or null
	// when none is known.
	Identity        cty.Value
	IdentityVersion int64
	// Private is the provider's own bytes, carried verbatim.
	Private []byte
	Status  Status
	// CreateBeforeDestroy is kept as in Terraform's state: it orders a later replacement.
	CreateBeforeDestroy bool
	// SensitivePaths are paths that the user's configuration made sensitive, beyond the schema's own.
	SensitivePaths []cty.Path
	// Deposed are earlier objects of this resource that still have to be destroyed.
	Deposed []Deposed
	// Operation is the journal: what was begun and not yet concluded.
	Operation *Operation
	// IdentityHistory are the identities that the object had before this one, the latest last.
	IdentityHistory []FormerIdentity

	// RawState and RawIdentity are set instead of State and Identity when what was stored
	// cannot be read by the schema at hand: it is of another version, or does not fit. They
	// are kept byte for byte until Executor.Refresh has upgraded them.
	RawState    json.RawMessage
	RawIdentity json.RawMessage

	// Wire is State and Identity as the provider sent them; nil when unknown. It is only
	// there to compare answers without decoding them, and is not part of the encoding.
	// Whoever changes State or Identity sets it to nil.
	Wire *Wire
}

// Wire holds values in the wire's encoding (msgpack).
type Wire struct{ State, Identity []byte }

// Deposed is an object that was replaced by a newer one and waits for its destruction.
type Deposed struct {
	// Key is eight hex digits.
	Key             string
	State           cty.Value
	SchemaVersion   int64
	Identity        cty.Value
	IdentityVersion int64
	Private         []byte
	Status          Status
	// CreateBeforeDestroy, SensitivePaths, RawState and RawIdentity are as in Instance.
	CreateBeforeDestroy bool
	SensitivePaths      []cty.Path
	RawState            json.RawMessage
	RawIdentity         json.RawMessage
}

// Instance is the deposed object as an instance of its own, to refresh and to destroy.
func (d Deposed) Instance() Instance {
	return Instance{
		State: d.State, SchemaVersion: d.SchemaVersion, RawState: d.RawState,
		Identity: d.Identity, IdentityVersion: d.IdentityVersion, RawIdentity: d.RawIdentity,
		Private: d.Private, Status: d.Status,
		CreateBeforeDestroy: d.CreateBeforeDestroy, SensitivePaths: d.SensitivePaths,
	}
}

// Depose is the instance's current object as a deposed one of the given key.
func (i Instance) Depose(key string) Deposed {
	return Deposed{
		Key: key, State: i.State, SchemaVersion: i.SchemaVersion, RawState: i.RawState,
		Identity: i.Identity, IdentityVersion: i.IdentityVersion, RawIdentity: i.RawIdentity,
		Private: i.Private, Status: i.Status,
		CreateBeforeDestroy: i.CreateBeforeDestroy, SensitivePaths: i.SensitivePaths,
	}
}

// Status is the state of the object, after the Resource State Overview.
type Status string

// The four states. The zero Status is Empty.
const (
	// Empty: nothing exists.
	Empty Status = ""
	// Partial: something exists that has not been read whole.
	Partial Status = "Partial"
	// Tainted: it exists, but its creation did not end well; it is to be replaced.
	Tainted Status = "Tainted"
	// Full: it exists and was read.
	Full Status = "Full"
)

// Exists says whether there is an object.
func (i Instance) Exists() bool { return isSet(i.State) || isSetJSON(i.RawState) }

// HasIdentity says whether the object's identity is known.
func (i Instance) HasIdentity() bool { return isSet(i.Identity) || isSetJSON(i.RawIdentity) }

func isSet(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() }

func isSetJSON(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && string(raw) != "null"
}

// Operation is one change that was begun: the intent, written before the provider is called.
type Operation struct {
	// ID is unique among all operations.
	ID   string
	Kind OperationKind
	// Deposed is the key of the deposed object that a Delete destroys, or that a Create makes
	// way for: it is what the resource falls back on if there is no new object in the end.
	// Empty for operations on the current object alone.
	Deposed string
	// Absent says of a Create that right before it no object of the identity that it plans was
	// there: one that is found afterwards is its own.
	Absent bool
	// Generation is that of the custom resource the operation carries out.
	Generation int64
	// PlannedState, PlannedPrivate and PlannedIdentity are what the provider was, or is, asked
	// to apply; PlannedState may hold unknown values.
	PlannedState    cty.Value
	PlannedPrivate  []byte
	PlannedIdentity cty.Value
	// SchemaVersion and IdentityVersion are those of PlannedState and PlannedIdentity. Values
	// that the schema at hand cannot read are in RawPlannedState and RawPlannedIdentity
	// instead (msgpack).
	SchemaVersion      int64
	IdentityVersion    int64
	RawPlannedState    []byte
	RawPlannedIdentity []byte
	StartedAt          time.Time
	Deadline           time.Time
	// Journal is what an operation of several changes has recorded (terraform.Journaled).
	Journal []byte
}

// OperationKind is what an Operation does to the remote object.
type OperationKind string

// The kinds of operations. A replacement is a Delete followed by a Create.
const (
	Create OperationKind = "Create"
	Update OperationKind = "Update"
	Delete OperationKind = "Delete"
)
