package instance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// encodingVersion is the version of the JSON form that Encode writes. Decode reads it and all
// earlier ones.
const encodingVersion = 1

type encoded struct {
	Version int `json:"version"`
	encodedObject
	Deposed         []encodedDeposed  `json:"deposed,omitempty"`
	Operation       *encodedOperation `json:"operation,omitempty"`
	IdentityHistory []FormerIdentity  `json:"identityHistory,omitempty"`
	Incomplete      bool              `json:"incomplete,omitempty"`
	Drift           *Drift            `json:"drift,omitempty"`
	DriftHistory    []FormerDrift     `json:"driftHistory,omitempty"`
	Unsettled       *Unsettled        `json:"unsettled,omitempty"`
	Waiting         *Waiting          `json:"waiting,omitempty"`
}

type encodedObject struct {
	Status                Status          `json:"status,omitempty"`
	SchemaVersion         int64           `json:"schemaVersion,omitempty"`
	State                 json.RawMessage `json:"state,omitempty"`
	IdentitySchemaVersion int64           `json:"identitySchemaVersion,omitempty"`
	Identity              json.RawMessage `json:"identity,omitempty"`
	Private               []byte          `json:"private,omitempty"`
	CreatedAt             time.Time       `json:"createdAt,omitzero"`
	CreateBeforeDestroy   bool            `json:"createBeforeDestroy,omitempty"`
	SensitivePaths        []Path          `json:"sensitivePaths,omitempty"`
}

type encodedDeposed struct {
	Key string `json:"key"`
	encodedObject
}

type encodedOperation struct {
	ID                    string        `json:"id"`
	Kind                  OperationKind `json:"kind"`
	Deposed               string        `json:"deposed,omitempty"`
	Absent                bool          `json:"absent,omitempty"`
	Mapped                bool          `json:"mapped,omitempty"`
	ImportID              string        `json:"importID,omitempty"`
	Confirmed             bool          `json:"confirmed,omitempty"`
	CreateToken           string        `json:"createToken,omitempty"`
	CreateTokenAt         time.Time     `json:"createTokenAt,omitzero"`
	Listed                *Listing      `json:"listed,omitempty"`
	Made                  Status        `json:"made,omitempty"`
	MadeID                string        `json:"madeID,omitempty"`
	Generation            int64         `json:"generation,omitempty"`
	SchemaVersion         int64         `json:"schemaVersion,omitempty"`
	PlannedState          []byte        `json:"plannedState,omitempty"` // msgpack: it may hold unknown values
	IdentitySchemaVersion int64         `json:"identitySchemaVersion,omitempty"`
	PlannedIdentity       []byte        `json:"plannedIdentity,omitempty"` // msgpack
	PlannedPrivate        []byte        `json:"plannedPrivate,omitempty"`
	StartedAt             time.Time     `json:"startedAt"`
	Deadline              time.Time     `json:"deadline,omitzero"`
	Journal               []byte        `json:"journal,omitempty"`
}

// Encode returns the instance as JSON. r is the schema of its values. Raw values are written as
// they are. Wire is not written.
func Encode(in Instance, r *schema.Resource) ([]byte, error) {
	t := typesOf(r)
	object, err := t.encodeObject(in.Depose(""))
	if err != nil {
		return nil, err
	}
	out := encoded{
		Version: encodingVersion, encodedObject: object,
		IdentityHistory: in.IdentityHistory, Incomplete: in.Incomplete, Drift: in.Drift, DriftHistory: in.DriftHistory, Unsettled: in.Unsettled,
		Waiting: in.Waiting,
	}
	for _, d := range in.Deposed {
		object, err := t.encodeObject(d)
		if err != nil {
			return nil, fmt.Errorf("deposed object %s: %w", d.Key, err)
		}
		out.Deposed = append(out.Deposed, encodedDeposed{Key: d.Key, encodedObject: object})
	}
	if in.Operation != nil {
		if out.Operation, err = t.encodeOperation(in.Operation); err != nil {
			return nil, fmt.Errorf("operation: %w", err)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // raw values stay as they are
	if err := e.Encode(out); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads what Encode wrote. Values of another version than r's, or that do not fit r,
// are kept in RawState and RawIdentity. The only error is that b is not an encoded instance.
func Decode(b []byte, r *schema.Resource) (Instance, error) {
	var in encoded
	if err := json.Unmarshal(b, &in); err != nil {
		return Instance{}, fmt.Errorf("not an encoded instance: %w", withoutValues(err))
	}
	if in.Version < 1 {
		return Instance{}, errors.New("not an encoded instance: no version")
	}
	if in.Version > encodingVersion {
		return Instance{}, fmt.Errorf("the instance was written by a newer Landbridge: encoding version %d, where "+
			"this one knows %d", in.Version, encodingVersion)
	}
	t := typesOf(r)
	current := t.decodeObject("", in.encodedObject)
	out := current.Instance()
	out.IdentityHistory, out.Incomplete = in.IdentityHistory, in.Incomplete
	out.Drift, out.DriftHistory, out.Unsettled, out.Waiting = in.Drift, in.DriftHistory, in.Unsettled, in.Waiting
	for _, d := range in.Deposed {
		out.Deposed = append(out.Deposed, t.decodeObject(d.Key, d.encodedObject))
	}
	if in.Operation != nil {
		out.Operation = t.decodeOperation(in.Operation)
	}
	return out, nil
}

// withoutValues removes values from an error of encoding/json.
func withoutValues(err error) error {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("malformed JSON at byte %d", syntax.Offset)
	case errors.As(err, &mismatch):
		return fmt.Errorf("wrong type at byte %d (%s)", mismatch.Offset, mismatch.Field)
	default:
		return errors.New("malformed JSON")
	}
}

// types are the types and versions of a schema.
type types struct {
	state, identity               cty.Type
	stateVersion, identityVersion int64
}

func typesOf(r *schema.Resource) types {
	t := types{state: r.ImpliedType(), identity: r.IdentityType(), stateVersion: r.Version}
	if r.Identity != nil {
		t.identityVersion = r.Identity.Version
	}
	return t
}

func (t types) encodeObject(d Deposed) (encodedObject, error) {
	out := encodedObject{
		Status: d.Status, SchemaVersion: d.SchemaVersion, IdentitySchemaVersion: d.IdentityVersion,
		Private: d.Private, CreatedAt: d.CreatedAt, CreateBeforeDestroy: d.CreateBeforeDestroy, SensitivePaths: toPaths(d.SensitivePaths),
	}
	var err error
	if out.State, err = encodeValue(d.State, d.RawState, t.state); err != nil {
		return out, fmt.Errorf("state: %w", err)
	}
	if out.Identity, err = encodeValue(d.Identity, d.RawIdentity, t.identity); err != nil {
		return out, fmt.Errorf("identity: %w", err)
	}
	// Values that are not raw have the version of r.
	if len(d.RawState) == 0 && out.State != nil {
		out.SchemaVersion = t.stateVersion
	}
	if len(d.RawIdentity) == 0 && out.Identity != nil {
		out.IdentitySchemaVersion = t.identityVersion
	}
	return out, nil
}

func encodeValue(v cty.Value, raw json.RawMessage, t cty.Type) (json.RawMessage, error) {
	switch {
	case len(raw) > 0:
		return raw, nil
	case !isSet(v):
		return nil, nil
	case t == cty.NilType:
		return nil, errors.New("there is a value, but no schema for it")
	}
	return wire.MarshalJSON(v, t)
}

func (t types) decodeObject(key string, in encodedObject) Deposed {
	out := Deposed{
		Key: key, Status: in.Status, SchemaVersion: in.SchemaVersion, IdentityVersion: in.IdentitySchemaVersion,
		Private: in.Private, CreatedAt: in.CreatedAt, CreateBeforeDestroy: in.CreateBeforeDestroy, SensitivePaths: fromPaths(in.SensitivePaths),
	}
	out.State, out.RawState = DecodeValue(in.State, in.SchemaVersion, t.state, t.stateVersion)
	out.Identity, out.RawIdentity = DecodeValue(in.Identity, in.IdentitySchemaVersion, t.identity, t.identityVersion)
	return out
}

// DecodeValue reads the JSON of a value of the given version, as in Terraform's state, by
// the type t of version current. What that type cannot read comes back raw.
func DecodeValue(raw json.RawMessage, version int64, t cty.Type, current int64) (cty.Value, json.RawMessage) {
	if !isSetJSON(raw) {
		if t == cty.NilType {
			return cty.NilVal, nil
		}
		return cty.NullVal(t), nil
	}
	if t == cty.NilType || version != current {
		return cty.NilVal, bytes.Clone(raw)
	}
	v, err := wire.UnmarshalJSON(raw, t)
	if err != nil {
		return cty.NilVal, bytes.Clone(raw)
	}
	return v, nil
}

func (t types) encodeOperation(o *Operation) (*encodedOperation, error) {
	out := &encodedOperation{
		ID: o.ID, Kind: o.Kind, Deposed: o.Deposed, Absent: o.Absent,
		Mapped: o.Mapped, ImportID: o.ImportID, Confirmed: o.Confirmed, CreateToken: o.CreateToken,
		CreateTokenAt: o.CreateTokenAt, Listed: o.Listed, Made: o.Made, MadeID: o.MadeID, Generation: o.Generation,
		PlannedPrivate: o.PlannedPrivate,
		SchemaVersion:  o.SchemaVersion, IdentitySchemaVersion: o.IdentityVersion,
		PlannedState: o.RawPlannedState, PlannedIdentity: o.RawPlannedIdentity,
		StartedAt: o.StartedAt, Deadline: o.Deadline, Journal: o.Journal,
	}
	var err error
	if len(out.PlannedState) == 0 && isSet(o.PlannedState) {
		out.SchemaVersion = t.stateVersion
		if out.PlannedState, err = wire.Marshal(o.PlannedState, t.state); err != nil {
			return nil, fmt.Errorf("planned state: %w", err)
		}
	}
	if len(out.PlannedIdentity) == 0 && isSet(o.PlannedIdentity) {
		if t.identity == cty.NilType {
			return nil, errors.New("there is a planned identity, but no schema for it")
		}
		out.IdentitySchemaVersion = t.identityVersion
		if out.PlannedIdentity, err = wire.Marshal(o.PlannedIdentity, t.identity); err != nil {
			return nil, fmt.Errorf("planned identity: %w", err)
		}
	}
	return out, nil
}

func (t types) decodeOperation(in *encodedOperation) *Operation {
	out := &Operation{
		ID: in.ID, Kind: in.Kind, Deposed: in.Deposed, Absent: in.Absent,
		Mapped: in.Mapped, ImportID: in.ImportID, Confirmed: in.Confirmed, CreateToken: in.CreateToken,
		CreateTokenAt: in.CreateTokenAt, Listed: in.Listed, Made: in.Made, MadeID: in.MadeID,
		Generation: in.Generation, PlannedPrivate: in.PlannedPrivate,
		SchemaVersion: in.SchemaVersion, IdentityVersion: in.IdentitySchemaVersion,
		StartedAt: in.StartedAt, Deadline: in.Deadline, Journal: in.Journal,
	}
	out.PlannedState, out.RawPlannedState = decodePlanned(in.PlannedState, in.SchemaVersion, t.state, t.stateVersion)
	out.PlannedIdentity, out.RawPlannedIdentity = decodePlanned(in.PlannedIdentity, in.IdentitySchemaVersion, t.identity, t.identityVersion)
	return out
}

func decodePlanned(raw []byte, version int64, t cty.Type, current int64) (cty.Value, []byte) {
	if len(raw) == 0 {
		if t == cty.NilType {
			return cty.NilVal, nil
		}
		return cty.NullVal(t), nil
	}
	if t == cty.NilType || version != current {
		return cty.NilVal, raw
	}
	v, err := wire.Unmarshal(raw, t)
	if err != nil {
		return cty.NilVal, raw
	}
	return v, nil
}
