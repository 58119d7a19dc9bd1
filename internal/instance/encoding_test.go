package instance_test

import (
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

func testSchema() *schema.Resource {
	return &schema.Resource{
		Type: "test_thing", Version: 2,
		Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"name":   {Type: cty.String, Optional: true},
			"size":   {Type: cty.Number, Optional: true, Computed: true},
			"labels": {Type: cty.Map(cty.String), Optional: true},
			"any":    {Type: cty.DynamicPseudoType, Optional: true},
		}},
		Identity: &schema.Identity{Version: 1, Attributes: map[string]*schema.IdentityAttribute{
			"id": {Type: cty.String, RequiredForImport: true},
		}},
	}
}

func TestRoundTrip(t *testing.T) {
	r := testSchema()
	in := instance.Instance{
		State: cty.ObjectVal(map[string]cty.Value{
			"name":   cty.StringVal("<a>"),
			"size":   cty.MustParseNumberVal("12345678901234567890123456789"),
			"labels": cty.MapVal(map[string]cty.Value{"x": cty.StringVal("y")}),
			"any":    cty.TupleVal([]cty.Value{cty.True, cty.NumberFloatVal(0.1)}),
		}),
		SchemaVersion: 2, IdentityVersion: 1,
		Identity: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("i-1")}),
		Private:  []byte{0, 1, 0xff},
		Status:   instance.Tainted,
		SensitivePaths: []cty.Path{
			cty.GetAttrPath("labels").IndexString("x"),
			cty.GetAttrPath("any").IndexInt(0),
		},
		CreateBeforeDestroy: true,
		Incomplete:          true,
		Waiting:             &instance.Waiting{Change: "c", Private: []byte("planned")},
		Deposed: []instance.Deposed{{
			Key: "0a1b2c3d", RawState: []byte(`{"old":"<1>"}`), SchemaVersion: 1,
			Identity: cty.NullVal(r.IdentityType()), Private: []byte("p"), Status: instance.Full,
		}},
		IdentityHistory: []instance.FormerIdentity{{
			Identity: []byte(`{"id":"<i-0>"}`), Version: 1, Until: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		}},
		Operation: &instance.Operation{
			ID: "x", Kind: instance.Update, Deposed: "0a1b2c3d", Absent: true,
			Mapped: true, ImportID: "here/x", Confirmed: true, CreateToken: "t-1",
			CreateTokenAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Made: instance.Tainted,
			MadeID: "i-1", Generation: 4,
			PlannedState: cty.ObjectVal(map[string]cty.Value{
				"name":   cty.StringVal("a"),
				"size":   cty.UnknownVal(cty.Number).RefineNotNull(),
				"labels": cty.UnknownVal(cty.Map(cty.String)),
				"any":    cty.DynamicVal,
			}),
			PlannedPrivate:  []byte("pp"),
			PlannedIdentity: cty.ObjectVal(map[string]cty.Value{"id": cty.UnknownVal(cty.String)}),
			SchemaVersion:   2, IdentityVersion: 1,
			StartedAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
		},
	}
	assertRoundTrip(t, r, in)
}

func TestDecodeKeepsUnfittingValuesRaw(t *testing.T) {
	tests := map[string]struct {
		in            string
		rawState      string
		rawIdentity   string
		schemaVersion int64
	}{
		"older state": {in: `{"version":1,"schemaVersion":1,"state":{"gone":1.50}}`, rawState: `{"gone":1.50}`, schemaVersion: 1},
		"newer state": {in: `{"version":1,"schemaVersion":9,"state":{"name":"x"}}`, rawState: `{"name":"x"}`, schemaVersion: 9},
		"unfitting state": {
			in:       `{"version":1,"schemaVersion":2,"state":{"gone":12345678901234567890}}`,
			rawState: `{"gone":12345678901234567890}`, schemaVersion: 2,
		},
		"older identity": {in: `{"version":1,"identity":{"arn":"<x>"}}`, rawIdentity: `{"arn":"<x>"}`},
		"unfitting identity": {in: `{"version":1,"identitySchemaVersion":1,"identity":{"arn":"x"}}`,
			rawIdentity: `{"arn":"x"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := instance.Decode([]byte(test.in), testSchema())
			if err != nil {
				t.Fatal(err)
			}
			if string(got.RawState) != test.rawState || string(got.RawIdentity) != test.rawIdentity {
				t.Errorf("raw state %s, raw identity %s", got.RawState, got.RawIdentity)
			}
			if got.Exists() != (test.rawState != "") || got.HasIdentity() != (test.rawIdentity != "") {
				t.Errorf("exists %t, has identity %t", got.Exists(), got.HasIdentity())
			}
			again, err := instance.Encode(got, testSchema())
			if err != nil {
				t.Fatal(err)
			}
			if string(again) != test.in {
				t.Errorf("encoded again as %s", again)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := map[string]string{
		"empty":         ``,
		"not JSON":      `hunter2`,
		"no version":    `{}`,
		"newer":         `{"version":2}`,
		"wrong type":    `{"version":1,"private":7}`,
		"bad path":      `{"version":1,"sensitivePaths":[[{"type":"splat"}]]}`,
		"bad path type": `{"version":1,"sensitivePaths":[[{"type":"index","value":{"value":1,"type":["list"]}}]]}`,
		"no path type":  `{"version":1,"sensitivePaths":[[{"type":"index","value":{"value":1}}]]}`,
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := instance.Decode([]byte(in), testSchema()); err == nil {
				t.Errorf("no error, but %#v", got)
			}
		})
	}
}
