package instance

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// Instance is the stored state of one remote object. The zero value is an instance without an
// object.
type Instance struct {
	// State is of the resource type's implied type, wholly known; cty.NilVal or null if there is
	// no object.
	State         cty.Value
	SchemaVersion int64
	// Identity is of the identity schema's implied type, wholly known; cty.NilVal or null
	// if none is known.
	Identity        cty.Value
	IdentityVersion int64
	// Private is the provider's own bytes, carried verbatim.
	Private []byte
	Status  Status
	// CreatedAt is when the create or the import of the object has ended; zero if that is long ago.
	// An API may show the object only some time later.
	CreatedAt time.Time
	// CreateBeforeDestroy is kept as in Terraform's state: it orders a later replacement.
	CreateBeforeDestroy bool
	// SensitivePaths are paths that are sensitive by the user's configuration, in addition to the
	// schema's.
	SensitivePaths []cty.Path
	// Deposed are earlier objects of this resource that are still to be destroyed.
	Deposed []Deposed
	// Operation is the journal: the operation that has begun and not yet ended.
	Operation *Operation
	// IdentityHistory are the identities that the object had before this one, the latest last.
	IdentityHistory []FormerIdentity
	// Incomplete is set when the last apply of an object that consists of several ended before all
	// changes were made.
	Incomplete bool
	// Drift is what was read that was changed outside Landbridge since the last operation: also
	// values that are not configured. DriftHistory is drift that has ended, the latest last.
	Drift        *Drift
	DriftHistory []FormerDrift
	// Unsettled counts the applies that did not settle; nil if the last one did.
	Unsettled *Unsettled

	// Waiting is the plan that waits for approval; nil if none does, or if nothing of it need be
	// kept.
	Waiting *Waiting

	// RawState and RawIdentity are set instead of State and Identity if the stored values do not
	// fit the current schema, or are of another version. They are kept byte for byte until
	// Executor.Refresh has upgraded them.
	RawState    json.RawMessage
	RawIdentity json.RawMessage

	// Wire is State and Identity as the provider sent them; nil if unknown. It serves to compare
	// answers without decoding them, and is not part of the encoding. Set it to nil with every
	// change of State or Identity.
	Wire *Wire
}

// Carry sets what is stored beside an object (drift, counts of applies, and the plan that waits) to
// that of the instance before.
func (i *Instance) Carry(before Instance) {
	i.Drift, i.DriftHistory, i.Unsettled, i.Waiting = before.Drift, before.DriftHistory, before.Unsettled, before.Waiting
}

// Wire holds values in the protocol's encoding (msgpack).
type Wire struct{ State, Identity []byte }

// WireOf returns the state and the identity of an instance in the protocol's encoding; nil if they
// cannot be encoded.
func WireOf(in Instance, r *schema.Resource) *Wire {
	t := typesOf(r)
	encode := func(v cty.Value, t cty.Type) ([]byte, error) {
		if !isSet(v) || t == cty.NilType {
			return nil, nil
		}
		return wire.Marshal(v, t)
	}
	state, err := encode(in.State, t.state)
	if err != nil || state == nil {
		return nil
	}
	identity, err := encode(in.Identity, t.identity)
	if err != nil {
		return nil
	}
	return &Wire{State: state, Identity: identity}
}

// decode returns the values, in the current version of a resource's schema.
func (w *Wire) decode(r *schema.Resource) (state, identity cty.Value, err error) {
	t := typesOf(r)
	decode := func(b []byte, t cty.Type) cty.Value {
		if len(b) == 0 || t == cty.NilType || err != nil {
			return cty.NilVal
		}
		var v cty.Value
		v, err = wire.Unmarshal(b, t)
		return v
	}
	return decode(w.State, t.state), decode(w.Identity, t.identity), err
}

// undecoded stands for values that only Wire has. Values of an instance are known otherwise.
var undecoded = cty.DynamicVal

// Packed returns the instance without the values that Wire has, too. It is false if there are
// others.
func (i Instance) Packed() (Instance, bool) {
	if i.Wire == nil || len(i.Wire.State) == 0 || !isSet(i.State) || isSet(i.Identity) && len(i.Wire.Identity) == 0 {
		return i, false
	}
	if i.State = undecoded; isSet(i.Identity) {
		i.Identity = undecoded
	}
	return i, true
}

// Undecoded returns a complete instance of which only the values in the protocol's encoding are
// known, as Packed does. Identified is set if it has an identity.
func Undecoded(w *Wire, identified bool) Instance {
	out := Instance{Wire: w, Status: Full, State: undecoded}
	if identified {
		out.Identity = undecoded
	}
	return out
}

// IsPacked reports whether the instance is one that Packed has returned.
func (i Instance) IsPacked() bool { return i.State == undecoded }

// Unpacked returns the instance with the values that Wire has, in the current version of a
// resource's schema. Others stay as they are.
func (i Instance) Unpacked(r *schema.Resource) (Instance, error) {
	if !i.IsPacked() {
		return i, nil
	}
	state, identity, err := i.Wire.decode(r)
	if err != nil {
		return i, err
	}
	if i.State = state; i.Identity == undecoded {
		i.Identity = identity
	}
	return i, nil
}

// Deposed is an object that was replaced by a newer one and is still to be destroyed.
type Deposed struct {
	// Key is eight hex digits.
	Key             string
	State           cty.Value
	SchemaVersion   int64
	Identity        cty.Value
	IdentityVersion int64
	Private         []byte
	Status          Status
	// CreatedAt, CreateBeforeDestroy, SensitivePaths, RawState and RawIdentity are as in Instance.
	CreatedAt           time.Time
	CreateBeforeDestroy bool
	SensitivePaths      []cty.Path
	RawState            json.RawMessage
	RawIdentity         json.RawMessage
}

// Instance returns the deposed object as an instance of its own, to refresh and to destroy.
func (d Deposed) Instance() Instance {
	return Instance{
		State: d.State, SchemaVersion: d.SchemaVersion, RawState: d.RawState,
		Identity: d.Identity, IdentityVersion: d.IdentityVersion, RawIdentity: d.RawIdentity,
		Private: d.Private, Status: d.Status, CreatedAt: d.CreatedAt,
		CreateBeforeDestroy: d.CreateBeforeDestroy, SensitivePaths: d.SensitivePaths,
	}
}

// Depose returns the instance's current object as a deposed one of the given key.
func (i Instance) Depose(key string) Deposed {
	return Deposed{
		Key: key, State: i.State, SchemaVersion: i.SchemaVersion, RawState: i.RawState,
		Identity: i.Identity, IdentityVersion: i.IdentityVersion, RawIdentity: i.RawIdentity,
		Private: i.Private, Status: i.Status, CreatedAt: i.CreatedAt,
		CreateBeforeDestroy: i.CreateBeforeDestroy, SensitivePaths: i.SensitivePaths,
	}
}

// Status is the state of the object, after the Resource State Overview.
type Status string

// The four states. The zero Status is Empty.
const (
	// Empty: there is no object.
	Empty Status = ""
	// Partial: an object exists that has not been read completely.
	Partial Status = "Partial"
	// Tainted: an object exists, but its create failed halfway, so it has to be replaced.
	Tainted Status = "Tainted"
	// Full: an object exists and was read.
	Full Status = "Full"
)

// Exists reports whether there is an object.
func (i Instance) Exists() bool { return isSet(i.State) || isSetJSON(i.RawState) }

// Nothing reports whether there is neither an object, nor one that is still to be destroyed, nor an
// operation.
func (i Instance) Nothing() bool { return !i.Exists() && i.Operation == nil && len(i.Deposed) == 0 }

// HasIdentity reports whether the object's identity is known.
func (i Instance) HasIdentity() bool { return isSet(i.Identity) || isSetJSON(i.RawIdentity) }

func isSet(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() }

func isSetJSON(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && string(raw) != "null"
}

// Operation is a change that has begun: the intent, stored before the provider is called.
type Operation struct {
	// ID is unique among all operations.
	ID   string
	Kind OperationKind
	// Deposed is the key of the deposed object that a Delete destroys, or that a Create makes
	// way for: it is what the resource falls back on if there is no new object in the end.
	// Empty for operations on the current object alone.
	Deposed string
	// Absent is set for a Create if no object with its planned identity existed right before it:
	// one that is found afterwards is its own.
	Absent bool
	// Mapped is set for a Create if PlannedIdentity is made by the configuration's mapping, and not
	// by the provider. ImportID is the id by which its object can be imported, if that is known
	// beforehand. Confirmed is set if an object had confirmed the mapping, or the id of another
	// object, when the Create began.
	Mapped    bool
	ImportID  string
	Confirmed bool
	// CreateToken is the generated value that makes a Create idempotent, and CreateTokenAt the time
	// when it was used first.
	CreateToken   string
	CreateTokenAt time.Time
	// Listed are the objects that existed right before a Create, if they are needed to find its
	// own; else nil.
	Listed *Listing
	// Made is set for a Create that has made an object, if the store did not accept the outcome:
	// the status of the object. MadeID is the object's id, and PlannedIdentity its identity.
	Made   Status
	MadeID string
	// Generation is that of the custom resource when the operation began.
	Generation int64
	// PlannedState, PlannedPrivate and PlannedIdentity are the planned values of the apply;
	// PlannedState may hold unknown values.
	PlannedState    cty.Value
	PlannedPrivate  []byte
	PlannedIdentity cty.Value
	// SchemaVersion and IdentityVersion are those of PlannedState and PlannedIdentity. Values
	// that do not fit the current schema are in RawPlannedState and RawPlannedIdentity instead
	// (msgpack).
	SchemaVersion      int64
	IdentityVersion    int64
	RawPlannedState    []byte
	RawPlannedIdentity []byte
	StartedAt          time.Time
	Deadline           time.Time
	// Journal is the journal of an operation of several changes (terraform.Journaled).
	Journal []byte
}

// Listing has the objects of a resource type that existed at a time.
type Listing struct {
	// Objects identify the objects, sorted. They are digests of identities.
	Objects []string `json:"objects,omitempty"`
	// Missing is why they are not known; empty if they are.
	Missing string `json:"missing,omitempty"`
}

// OperationKind is the kind of change that an Operation makes to the remote object.
type OperationKind string

// The kinds of operations. A replacement is a Delete followed by a Create.
const (
	Create OperationKind = "Create"
	Update OperationKind = "Update"
	Delete OperationKind = "Delete"
	// Move changes no object: the resource is being moved to another cluster, or its object to
	// another resource. While it stands, no controller of this cluster acts on the resource. Only
	// the command that began it ends it, or the scheduler if the object moves to another resource.
	Move OperationKind = "Move"
)
