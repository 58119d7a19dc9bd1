package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// stored returns an encoded instance of thing, as in the store.
func (f *fixture) stored(encoded string) instance.Instance {
	f.Helper()
	in, err := instance.Decode([]byte(encoded), f.resource.Schema)
	if err != nil {
		f.Fatal(err)
	}
	return in
}

// answersRead sets the server's answer to a read.
func (f *fixture) answersRead(state cty.Value, private string, id cty.Value) {
	f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
		answer := &tfprotov6.ReadResourceResponse{NewState: f.enc(state), Private: []byte(private)}
		if id != cty.NilVal {
			answer.NewIdentity = f.encIdentity(id)
		}
		return answer, nil
	}
}

// wantUntouched checks that a failed refresh returns the instance as it was.
func (f *fixture) wantUntouched(in instance.Instance, out terraform.Refreshed) {
	f.Helper()
	before, err := instance.Encode(in, f.resource.Schema)
	if err != nil {
		f.Fatal(err)
	}
	after, err := instance.Encode(out.Instance, f.resource.Schema)
	if err != nil {
		f.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		f.Errorf("the instance changed: %s", diff)
	}
	if out.Unchanged {
		f.Error("a failed refresh says that nothing changed")
	}
}

func TestVectorsRead(t *testing.T) {
	t.Run("an object without a stored identity is gone (V129)", func(t *testing.T) {
		missing := providerError("Missing Resource Identity After Read", "")
		for name, test := range map[string]struct {
			state cty.Value
			id    cty.Value
			diags []*tfprotov6.Diagnostic
			gone  bool
		}{
			"gone":               {cty.NullVal(thing().ImpliedType()), cty.NilVal, missing, true},
			"not gone":           {object(nil), cty.NilVal, missing, false},
			"with an identity":   {cty.NullVal(thing().ImpliedType()), identity("1"), missing, false},
			"with another error": {cty.NullVal(thing().ImpliedType()), cty.NilVal, append(providerError("Other", ""), missing...), false},
			"only another error": {cty.NullVal(thing().ImpliedType()), cty.NilVal, providerError("Other", ""), false},
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
					return &tfprotov6.ReadResourceResponse{NewState: f.enc(test.state), Diagnostics: test.diags}, nil
				}
				out, diags := f.refresh(f.existing(object(nil), test.id, "p"))
				wantEqual(t, "exists", out.Instance.Exists(), !test.gone)
				wantEqual(t, "errors", diags.HasErrors(), !test.gone)
			})
		}
	})
	a := object(map[string]cty.Value{"o": str("a")})
	none := cty.NullVal(thing().ImpliedType())

	t.Run("an object that is gone is created (V76)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersRead(none, "p", identity("1")) // the framework returns what it was sent
		out, diags := f.refresh(f.existing(a, identity("1"), "p"))
		wantNoErrors(t, diags)
		wantEqual(t, "exists", out.Instance.Exists(), false)
		wantEqual(t, "has identity", out.Instance.HasIdentity(), false)
		wantEqual(t, "unchanged", out.Unchanged, false)
		p, diags := f.plan(out.Instance, a)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.Create)
		request := last[*tfprotov6.PlanResourceChangeRequest](f)
		wantValue(t, "prior", f.dec(request.PriorState), none)
		wantEqual(t, "private", string(request.PriorPrivate), "")
		wantEqual(t, "identity sent", request.PriorIdentity != nil, false)
	})

	t.Run("a read that fails changes nothing (V77)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
			return &tfprotov6.ReadResourceResponse{NewState: f.enc(none), Diagnostics: providerError("It failed", "")}, nil
		}
		in := f.existing(a, identity("1"), "p")
		out, diags := f.refresh(in)
		wantError(t, diags, "It failed")
		f.wantUntouched(in, out)
	})

	t.Run("a read with unknown values is an error (V78)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersRead(object(map[string]cty.Value{"c": unknown}), "p", identity("1"))
		in := f.existing(a, identity("1"), "p")
		out, diags := f.refresh(in)
		wantError(t, diags, "Provider produced invalid object")
		f.wantUntouched(in, out)
	})

	t.Run("a legacy provider's blocks are normalized (V79)", func(t *testing.T) {
		block := &schema.Block{Attributes: map[string]*schema.Attribute{"x": {Type: cty.String, Optional: true}}}
		f := newFixture(t, &schema.Resource{Type: "test_legacy", Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}},
			Blocks:     map[string]*schema.NestedBlock{"b": {Nesting: schema.NestingList, Block: block}},
		}})
		value := func(b cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"id": str("1"), "b": b}) }
		typeB := cty.List(block.ImpliedType())
		f.answersRead(value(cty.NullVal(typeB)), "", cty.NilVal)
		out, diags := f.refresh(f.existing(value(cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"x": str("1")})})), cty.NilVal, ""))
		wantNoErrors(t, diags)
		wantValue(t, "state", out.Instance.State, value(cty.ListValEmpty(block.ImpliedType())))
		out, diags = f.refresh(out.Instance)
		wantNoErrors(t, diags)
		wantEqual(t, "unchanged", out.Unchanged, true)
		f.answersRead(value(cty.UnknownVal(typeB)), "", cty.NilVal)
		_, diags = f.refresh(out.Instance)
		wantError(t, diags, "Provider produced invalid object") // nothing unknown is stored
	})

	t.Run("a read replaces private bytes and identity, even by nothing (V80)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersRead(a, "", cty.NilVal)
		out, diags := f.refresh(f.existing(a, identity("1"), "p"))
		wantNoErrors(t, diags)
		wantEqual(t, "private", string(out.Instance.Private), "")
		wantEqual(t, "has identity", out.Instance.HasIdentity(), false)
		wantEqual(t, "unchanged", out.Unchanged, false)
		if _, diags := f.plan(out.Instance, a); diags.HasErrors() {
			t.Fatal(diags)
		}
		request := last[*tfprotov6.PlanResourceChangeRequest](f)
		wantEqual(t, "private sent", string(request.PriorPrivate), "")
		wantEqual(t, "identity sent", request.PriorIdentity != nil, false)
	})

	t.Run("removed attributes are stripped from a state of the same version (V81)", func(t *testing.T) {
		block := &schema.Block{Attributes: map[string]*schema.Attribute{"x": {Type: cty.String, Optional: true}}}
		f := newFixture(t, &schema.Resource{Type: "test_thing", Version: 1, Block: &schema.Block{
			Blocks: map[string]*schema.NestedBlock{"b": {Nesting: schema.NestingList, Block: block}},
		}})
		out, diags := f.refresh(f.stored(`{"version":1,"status":"Full","schemaVersion":1,"state":{"b":[{"x":"1","removed":true}]}}`))
		wantNoErrors(t, diags)
		wantEqual(t, "JSON sent", string(last[*tfprotov6.UpgradeResourceStateRequest](f).RawState.JSON), `{"b":[{"x":"1"}]}`)
		wantValue(t, "state", out.Instance.State,
			cty.ObjectVal(map[string]cty.Value{
				"b": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"x": str("1")})}),
			}))
	})

	t.Run("a state of an earlier version is passed whole (V82)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Upgrade = func(*tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
			return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: f.enc(a)}, nil
		}
		out, diags := f.refresh(f.stored(`{"version":1,"status":"Full","state":{"o":"a","removed":[1.50]}}`))
		wantNoErrors(t, diags)
		request := last[*tfprotov6.UpgradeResourceStateRequest](f)
		wantEqual(t, "version sent", request.Version, 0)
		wantEqual(t, "JSON sent", string(request.RawState.JSON), `{"o":"a","removed":[1.50]}`)
		wantValue(t, "state", out.Instance.State, a)
		wantEqual(t, "schema version", out.Instance.SchemaVersion, 1)
		wantEqual(t, "unchanged", out.Unchanged, false)
	})

	t.Run("a state of a later version is refused (V83)", func(t *testing.T) {
		f := newFixture(t, thing())
		in := f.stored(`{"version":1,"status":"Full","schemaVersion":7,"state":{"o":"a"}}`)
		out, diags := f.refresh(in)
		wantError(t, diags, "Resource instance managed by newer provider version")
		wantEqual(t, "calls", len(f.Calls()), 0)
		f.wantUntouched(in, out)
	})

	t.Run("an upgraded state must be known and fit (V84)", func(t *testing.T) {
		wrong, err := ctymsgpack.Marshal(cty.ObjectVal(map[string]cty.Value{"o": cty.True}), cty.Object(map[string]cty.Type{"o": cty.Bool}))
		if err != nil {
			t.Fatal(err)
		}
		for name, answered := range map[string]*tfprotov6.DynamicValue{
			"unknown":    newFixture(t, thing()).enc(object(map[string]cty.Value{"c": unknown})),
			"wrong type": {MsgPack: wrong},
			"not JSON":   {JSON: []byte("{")},
			"null":       {MsgPack: []byte{0xc0}},
			"absent":     nil,
			"write-only": newFixture(t, thing()).enc(object(map[string]cty.Value{"wo": str("x")})),
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.Upgrade = func(*tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
					return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: answered}, nil
				}
				in := f.existing(a, identity("1"), "p")
				out, diags := f.refresh(in)
				wantError(t, diags, "Invalid resource state upgrade")
				f.wantUntouched(in, out)
				wantEqual(t, "reads", count[*tfprotov6.ReadResourceRequest](f), 0)
			})
		}
	})

	t.Run("a failed upgrade changes nothing (V85)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Upgrade = func(*tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
			return &tfprotov6.UpgradeResourceStateResponse{Diagnostics: providerError("It failed", "")}, nil
		}
		const bytes = `{"version":1,"status":"Full","state":{"old":1.50},"identity":{"arn":"<1>"},"private":"cA=="}`
		out, diags := f.refresh(f.stored(bytes))
		wantError(t, diags, "It failed")
		again, err := instance.Encode(out.Instance, f.resource.Schema)
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "stored bytes", string(again), bytes)
	})

	t.Run("large numbers survive an upgrade (V86)", func(t *testing.T) {
		r := &schema.Resource{Type: "test_thing", Version: 1, Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"n": {Type: cty.Number, Optional: true}},
		}}
		f := newFixture(t, r)
		out, diags := f.refresh(f.stored(`{"version":1,"status":"Full","schemaVersion":1,"state":{"n":12345678901234567890,"removed":1}}`))
		wantNoErrors(t, diags)
		wantEqual(t, "JSON sent", string(last[*tfprotov6.UpgradeResourceStateRequest](f).RawState.JSON), `{"n":12345678901234567890}`)
		b, err := instance.Encode(out.Instance, r)
		if err != nil {
			t.Fatal(err)
		}
		var decoded struct{ State json.RawMessage }
		if err := json.Unmarshal(b, &decoded); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "state stored", string(decoded.State), `{"n":12345678901234567890}`)
	})
}
