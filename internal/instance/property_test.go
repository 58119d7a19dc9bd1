package instance_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func identitySchema() *schema.Identity {
	return &schema.Identity{Version: 3, Attributes: map[string]*schema.IdentityAttribute{
		"id":    {Type: cty.String, RequiredForImport: true},
		"ports": {Type: cty.List(cty.Number), OptionalForImport: true},
	}}
}

func drawIdentity(t *rapid.T) cty.Value {
	if rapid.Bool().Draw(t, "without identity") {
		return cty.NullVal(identitySchema().ImpliedType())
	}
	ports := cty.NullVal(cty.List(cty.Number))
	if rapid.Bool().Draw(t, "with ports") {
		ports = cty.ListVal([]cty.Value{cty.NumberIntVal(rapid.Int64().Draw(t, "port"))})
	}
	return cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(rapid.String().Draw(t, "id")), "ports": ports})
}

func drawDeposed(t *rapid.T, r *schema.Resource, key string) instance.Deposed {
	d := instance.Deposed{
		Key: key, SchemaVersion: r.Version, IdentityVersion: r.Identity.Version,
		Identity:            drawIdentity(t),
		Private:             rapid.SliceOf(rapid.Byte()).Draw(t, "private"),
		Status:              rapid.SampledFrom([]instance.Status{instance.Full, instance.Tainted, instance.Partial}).Draw(t, "status"),
		CreateBeforeDestroy: rapid.Bool().Draw(t, "create_before_destroy"),
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind of state") {
	case 0:
		d.State, d.Status = cty.NullVal(r.ImpliedType()), instance.Empty
	case 1:
		d.State = schematest.Value(t, r.Block)
	default:
		d.SchemaVersion, d.RawState = 1, drawJSON(t)
	}
	if d.Identity.IsNull() && rapid.Bool().Draw(t, "older identity") {
		d.Identity, d.IdentityVersion, d.RawIdentity = cty.NilVal, 1, drawJSON(t)
	}
	for range rapid.IntRange(0, 2).Draw(t, "sensitive paths") {
		d.SensitivePaths = append(d.SensitivePaths, drawPath(t))
	}
	return d
}

func drawJSON(t *rapid.T) json.RawMessage {
	b, err := json.Marshal(map[string]any{rapid.String().Draw(t, "key"): json.Number("12345678901234567890.50")})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func drawPath(t *rapid.T) cty.Path {
	path := cty.GetAttrPath(rapid.StringMatching(`[a-z_]+`).Draw(t, "attribute"))
	switch rapid.IntRange(0, 2).Draw(t, "index") {
	case 0:
		path = path.IndexInt(rapid.IntRange(0, 9).Draw(t, "number"))
	case 1:
		path = path.IndexString(rapid.String().Draw(t, "text"))
	}
	return path
}

// Decoding an encoded instance returns the same instance.
func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &schema.Resource{Type: "test_thing", Version: 2, Block: schematest.Block(t), Identity: identitySchema()}
		current := drawDeposed(t, r, "")
		in := current.Instance()
		for _, key := range rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9a-f]{8}`), 0, 2, rapid.ID).Draw(t, "deposed") {
			in.Deposed = append(in.Deposed, drawDeposed(t, r, key))
		}
		if rapid.Bool().Draw(t, "with an operation") {
			in.Operation = &instance.Operation{
				ID:             rapid.String().Draw(t, "id"),
				Kind:           rapid.SampledFrom([]instance.OperationKind{instance.Create, instance.Update, instance.Delete}).Draw(t, "kind"),
				Generation:     rapid.Int64().Draw(t, "generation"),
				PlannedState:   withUnknowns(t, schematest.Value(t, r.Block)),
				PlannedPrivate: rapid.SliceOf(rapid.Byte()).Draw(t, "planned private"),
				SchemaVersion:  r.Version, IdentityVersion: r.Identity.Version,
				PlannedIdentity: withUnknowns(t, drawIdentity(t)),
				StartedAt:       time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "started"), 0).UTC(),
			}
			if in.Operation.PlannedIdentity.IsKnown() && in.Operation.PlannedIdentity.IsNull() {
				in.Operation.IdentityVersion = 0
			}
		}
		assertRoundTrip(t, r, in)
	})
}

// withUnknowns makes some of a value's primitives unknown.
func withUnknowns(t *rapid.T, v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type().IsPrimitiveType() && len(path) == 1 && rapid.Bool().Draw(t, "unknown") {
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Decoding any bytes neither panics nor loses accepted values.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"version":1}`,
		`{"version":1,"status":"Full","schemaVersion":2,"state":{"name":"a","size":1.5,"labels":{"a":"b"},"any":{"value":[1],"type":["tuple",["number"]]}},"private":"AA=="}`,
		`{"version":1,"schemaVersion":1,"state":{"old":1},"identitySchemaVersion":1,"identity":{"id":"1"},"sensitivePaths":[[{"type":"get_attr","value":"a"},{"type":"index","value":{"value":0,"type":"number"}}]]}`,
		`{"version":1,"deposed":[{"key":"0a1b2c3d","status":"Tainted","state":{"name":null}}],"operation":{"id":"1","kind":"Create","plannedState":"hKNhbnnUAACmbGFiZWxz1AAApG5hbWWhYaRzaXplxwMMgQHC","schemaVersion":2,"startedAt":"2026-01-02T03:04:05Z"}}`,
		`{"version":1,"schemaVersion":2,"state":{"size":1e999999999}}`,
	} {
		f.Add([]byte(seed))
	}
	r := testSchema()
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := instance.Decode(b, r)
		if err != nil {
			return
		}
		first, err := instance.Encode(in, r)
		if err != nil {
			t.Fatalf("decoded, but cannot be encoded: %s", err)
		}
		again, err := instance.Decode(first, r)
		if err != nil {
			t.Fatalf("cannot be decoded again: %s\n%s", err, first)
		}
		second, err := instance.Encode(again, r)
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(second) {
			t.Fatalf("first %s\nthen %s", first, second)
		}
	})
}
