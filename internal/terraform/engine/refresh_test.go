package engine_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// Refresh returns the object, and whether it has to be stored.
func TestRefreshUnchanged(t *testing.T) {
	a := object(map[string]cty.Value{"o": str("a")})
	f := newFixture(t, thing())
	in := f.existing(a, identity("1"), "p")

	out, diags := f.refresh(in) // from the store: with an upgrade that changes nothing
	wantNoErrors(t, diags)
	wantEqual(t, "unchanged", out.Unchanged, true)
	wantEqual(t, "upgrades", count[*tfprotov6.UpgradeResourceStateRequest](f), 1)
	if out.Instance.Wire == nil {
		t.Fatal("the provider's bytes were not kept")
	}
	out, diags = f.refresh(out.Instance) // and from memory
	wantNoErrors(t, diags)
	wantEqual(t, "unchanged", out.Unchanged, true)
	wantEqual(t, "upgrades", count[*tfprotov6.UpgradeResourceStateRequest](f), 1)

	packed, ok := out.Instance.Packed()
	if !ok || !packed.Exists() || !packed.HasIdentity() {
		t.Fatalf("packed %t: %v", ok, packed)
	}
	still, diags := f.refresh(packed) // and without decoding anything
	wantNoErrors(t, diags)
	wantEqual(t, "unchanged", still.Unchanged, true)
	wantEqual(t, "packed", still.Instance.IsPacked(), true)
	unpacked, err := still.Instance.Unpacked(thing())
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, "state", unpacked.State, a)
	wantValue(t, "identity", unpacked.Identity, identity("1"))

	for name, test := range map[string]struct {
		state    cty.Value
		private  string
		identity cty.Value
	}{
		"state":    {object(map[string]cty.Value{"o": str("b")}), "p", identity("1")},
		"private":  {a, "q", identity("1")},
		"identity": {a, "p", identity("2")},
		"gone":     {cty.NullVal(a.Type()), "p", identity("1")},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			f.answersRead(test.state, test.private, test.identity)
			for _, in := range []instance.Instance{in, out.Instance, packed} {
				out, diags := f.refresh(in)
				wantNoErrors(t, diags)
				wantEqual(t, "unchanged", out.Unchanged, false)
				wantValue(t, "state before", out.Upgraded, a)
				wantValue(t, "state", out.Instance.State, test.state)
				if !test.state.IsNull() {
					wantValue(t, "identity", out.Instance.Identity, test.identity)
					wantEqual(t, "private", string(out.Instance.Private), test.private)
				}
			}
		})
	}

	t.Run("nothing", func(t *testing.T) {
		f := newFixture(t, thing())
		out, diags := f.refresh(instance.Instance{})
		wantNoErrors(t, diags)
		wantEqual(t, "unchanged", out.Unchanged, true)
		wantEqual(t, "calls", len(f.Calls()), 0)
	})
	t.Run("an upgrade that changes something", func(t *testing.T) {
		f := newFixture(t, thing())
		repaired := object(map[string]cty.Value{"o": str("repaired")})
		f.Upgrade = func(*tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
			return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: f.enc(repaired)}, nil
		}
		out, diags := f.refresh(in)
		wantNoErrors(t, diags)
		wantValue(t, "state before", out.Upgraded, repaired)
		wantEqual(t, "unchanged", out.Unchanged, false)
		wantValue(t, "state", out.Instance.State, repaired)
	})
	t.Run("a partial object becomes whole", func(t *testing.T) {
		f := newFixture(t, thing())
		partial := out.Instance
		partial.Status = instance.Partial
		got, diags := f.refresh(partial)
		wantNoErrors(t, diags)
		wantEqual(t, "unchanged", got.Unchanged, false)
		wantEqual(t, "status", got.Instance.Status, instance.Full)
	})
	t.Run("a tainted object stays so", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersRead(object(nil), "p", identity("1"))
		tainted := out.Instance
		tainted.Status = instance.Tainted
		got, diags := f.refresh(tainted)
		wantNoErrors(t, diags)
		wantEqual(t, "status", got.Instance.Status, instance.Tainted)
	})
	t.Run("other bytes of the same value", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Read = func(r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
			return &tfprotov6.ReadResourceResponse{
				NewState: &tfprotov6.DynamicValue{JSON: []byte(`{"o":"a"}`)}, Private: r.Private, NewIdentity: r.CurrentIdentity,
			}, nil
		}
		for _, in := range []instance.Instance{out.Instance, packed} {
			got, diags := f.refresh(in)
			wantNoErrors(t, diags)
			wantEqual(t, "unchanged", got.Unchanged, true)
			wantValue(t, "state", got.Instance.State, a)
		}
	})
	t.Run("write-only", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersRead(object(map[string]cty.Value{"wo": str("x")}), "p", identity("1"))
		got, diags := f.refresh(in)
		wantError(t, diags, "Provider produced invalid object")
		f.wantUntouched(in, got)
	})
}

// A stored state that is not JSON is an error, not a call.
func TestRefreshUnreadableState(t *testing.T) {
	f := newFixture(t, thing())
	in := f.existing(cty.NilVal, identity("1"), "p")
	in.RawState = []byte("hunter2")
	out, diags := f.refresh(in)
	wantError(t, diags, "Failed to decode resource state")
	wantEqual(t, "calls", len(f.Calls()), 0)
	wantEqual(t, "raw state", string(out.Instance.RawState), "hunter2")
	in = f.existing(cty.True, identity("1"), "p")
	_, diags = f.refresh(in)
	wantError(t, diags, "Failed to encode resource state")
}

// Upgrade brings values of other schema versions to the current ones, and reads nothing.
func TestUpgrade(t *testing.T) {
	f := newFixture(t, thing())
	a := object(map[string]cty.Value{"o": str("a")})
	current := f.existing(a, identity("1"), "p")
	out, diags := f.engine.Upgrade(t.Context(), f.resource, current)
	wantNoErrors(t, diags)
	wantValue(t, "state", out.State, a)
	wantEqual(t, "calls", len(f.Calls()), 0)

	old := f.existing(cty.NilVal, identity("1"), "p")
	old.RawState = []byte(`{"o":"a"}`)
	out, diags = f.engine.Upgrade(t.Context(), f.resource, old)
	wantNoErrors(t, diags)
	wantValue(t, "state", out.State, a)
	wantEqual(t, "raw state", len(out.RawState), 0)
	wantEqual(t, "private", string(out.Private), "p")
	wantEqual(t, "calls", len(f.Calls()), 1)
	_, diags = f.engine.PlanDestroy(t.Context(), f.resource, out)
	wantNoErrors(t, diags)

	old.RawState = []byte("hunter2")
	out, diags = f.engine.Upgrade(t.Context(), f.resource, old)
	wantError(t, diags, "Failed to decode resource state")
	wantEqual(t, "raw state", string(out.RawState), "hunter2")
}

// Other operations refuse values of other schema versions.
func TestOnlyRefreshUpgrades(t *testing.T) {
	f := newFixture(t, thing())
	for _, in := range []instance.Instance{{RawState: []byte("{}")}, {State: object(nil), RawIdentity: []byte("{}")}} {
		_, diags := f.plan(in, object(nil))
		wantError(t, diags, "Resource instance needs a refresh")
		_, diags = f.engine.PlanDestroy(t.Context(), f.resource, in)
		wantError(t, diags, "Resource instance needs a refresh")
	}
	wantEqual(t, "calls", len(f.Calls()), 0)
}

// Sensitive paths are kept if they still exist.
func TestReadsAndMovesKeepSensitivePaths(t *testing.T) {
	f := newFixture(t, thing())
	in := f.existing(object(map[string]cty.Value{"o": str("a")}), identity("1"), "p")
	in.SensitivePaths = []cty.Path{cty.GetAttrPath("o"), cty.GetAttrPath("removed")}
	f.answersRead(object(map[string]cty.Value{"o": str("b")}), "p", identity("1"))
	read, diags := f.refresh(in)
	wantNoErrors(t, diags)
	f.Provider.Capabilities.MoveResourceState = true
	f.Move = func(*tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
		return &tfprotov6.MoveResourceStateResponse{TargetState: f.enc(object(nil)), TargetIdentity: f.encIdentity(identity("1"))}, nil
	}
	moved, diags := f.engine.MoveResourceState(t.Context(), f.resource, engine.MoveSource{Schema: f.resource.Schema, Instance: in})
	wantNoErrors(t, diags)
	for name, out := range map[string]instance.Instance{"read": read.Instance, "moved": moved} {
		if len(out.SensitivePaths) != 1 || !out.SensitivePaths[0].Equals(cty.GetAttrPath("o")) {
			t.Errorf("%s: sensitive paths: %v", name, out.SensitivePaths)
		}
	}
}
