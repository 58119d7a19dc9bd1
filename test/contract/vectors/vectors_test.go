package vectors_test

import (
	"bytes"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// TestLifecycle is what every kind of server goes through without complaint.
func TestLifecycle(t *testing.T) {
	onEach(t, variant{}, func(t *testing.T, f *fixture) {
		config := f.object(map[string]cty.Value{"name": cty.StringVal("a"), "token": cty.StringVal("hunter2")})
		in := f.create(config)
		id := idOf(in)
		wantEqual(t, "objects", f.count(), 1)
		wantValue(t, "token as the provider got it", last(f.configs()).GetAttr("token"), cty.StringVal("hunter2"))
		if !in.State.GetAttr("token").IsNull() {
			t.Error("the write-only value was stored")
		}
		wantValue(t, "identity", in.Identity, f.objects.Identity(id))

		for range 2 {
			refreshed := f.refresh(in)
			wantEqual(t, "unchanged", refreshed.Unchanged, true)
			in = refreshed.Instance
			wantEqual(t, "action", f.plan(in, config).Action, terraform.NoOp)
		}
		refreshed := f.refresh(f.stored(in))
		wantEqual(t, "unchanged after a restart", refreshed.Unchanged, true)

		drifted := f.objects.World().Objects[id].AsValueMap()
		drifted["label"] = cty.StringVal("drifted")
		f.put(id, drifted)
		refreshed = f.refresh(in)
		wantEqual(t, "unchanged after a drift", refreshed.Unchanged, false)
		in = refreshed.Instance
		wantValue(t, "label", in.State.GetAttr("label"), cty.StringVal("drifted"))

		p := f.plan(in, f.object(map[string]cty.Value{"name": cty.StringVal("a"), "size": cty.NumberIntVal(3)}))
		wantEqual(t, "action", p.Action, terraform.Update)
		in = f.apply(p)
		wantValue(t, "size", in.State.GetAttr("size"), cty.NumberIntVal(3))
		wantValue(t, "identity", in.Identity, f.objects.Identity(id))

		p = f.plan(in, f.named("b"))
		wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
		f.destroy(in)
		wantEqual(t, "objects", f.count(), 0)
	})
}

func TestVectorsPlan(t *testing.T) {
	t.Run("computed values may be unknown (V21)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			p := f.plan(instance.Instance{}, f.named("a"))
			wantEqual(t, "label known", p.State.GetAttr("label").IsKnown(), false)
			wantEqual(t, "revision known", p.State.GetAttr("revision").IsKnown(), false)
			wantValue(t, "name", p.State.GetAttr("name"), cty.StringVal("a"))
		})
	})
	t.Run("a write-only value must be planned null (V39)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			p := f.plan(instance.Instance{}, f.object(map[string]cty.Value{"name": cty.StringVal("a"), "token": cty.StringVal("x")}))
			wantEqual(t, "write-only value is null", p.State.GetAttr("token").IsNull(), true)
			wantValue(t, "config", p.Config.GetAttr("token"), cty.StringVal("x"))
		})
	})
	t.Run("a replacement is planned anew without a prior state (V43)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			p := f.plan(f.create(f.named("a")), f.named("b"))
			wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
			wantEqual(t, "reason", p.Reason, terraform.ReplaceBecauseCannotUpdate)
			wantEqual(t, "the new id is known", p.State.GetAttr("id").IsKnown(), false)
		})
	})
	t.Run("a create ignores required replacements (V46)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			p := f.plan(instance.Instance{}, f.named("a")) // SDKv2 requires replacement on creates, too
			wantEqual(t, "action", p.Action, terraform.Create)
			wantEqual(t, "paths", len(p.RequiresReplace), 0)
		})
	})
	t.Run("the SDK keeps a computed list block (V125)", func(t *testing.T) {
		f := newLegacy(t)
		in := f.create(f.named("a"))
		wantEqual(t, "rules", in.State.GetAttr("rule").LengthInt(), 1)
		wantEqual(t, "action", f.plan(in, f.named("a")).Action, terraform.NoOp)
	})
	t.Run("the SDK plans no change for timeouts alone (V126)", func(t *testing.T) {
		f := newLegacy(t)
		in := f.create(f.named("a"))
		timeouts := f.schema.Block.Blocks["timeouts"].EmptyValue()
		if timeouts.Type().IsObjectType() {
			values := map[string]cty.Value{}
			for name := range timeouts.Type().AttributeTypes() {
				values[name] = cty.NullVal(cty.String)
			}
			values["create"] = cty.StringVal("5m")
			timeouts = cty.ObjectVal(values)
		}
		p := f.plan(in, f.object(map[string]cty.Value{"name": cty.StringVal("a"), "timeouts": timeouts}))
		wantEqual(t, "action", p.Action, terraform.NoOp)
		wantValue(t, "planned", p.State, in.State)
	})
	t.Run("the SDK refuses null in lists (V128)", func(t *testing.T) {
		f := newLegacy(t)
		zones := cty.ListVal([]cty.Value{cty.StringVal("a"), cty.NullVal(cty.String)})
		_, diags := f.engine.Plan(t.Context(), f.resource, instance.Instance{}, terraform.Config{
			Value: f.object(map[string]cty.Value{"zones": zones}),
		})
		wantError(t, diags, "Null value found in list")
	})
	t.Run("the framework plans unknown computed values (V130)", func(t *testing.T) {
		onFramework(t, variant{}, func(t *testing.T, f *fixture) {
			in := f.create(f.named("a"))
			p := f.plan(in, f.object(map[string]cty.Value{"name": cty.StringVal("a"), "size": cty.NumberIntVal(1)}))
			wantEqual(t, "action", p.Action, terraform.Update)
			wantEqual(t, "label known", p.State.GetAttr("label").IsKnown(), false)
			wantEqual(t, "revision known", p.State.GetAttr("revision").IsKnown(), false)
			wantEqual(t, "id known", p.State.GetAttr("id").IsKnown(), true) // UseStateForUnknown
			f.apply(p)
		})
	})
}

func TestVectorsApply(t *testing.T) {
	t.Run("a create that fails halfway is stored tainted (V65)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			f.fail("Apply", "errorpartial")
			out, diags := f.engine.Apply(t.Context(), f.plan(instance.Instance{}, f.named("a")))
			wantError(t, diags, "Fault: Apply")
			wantEqual(t, "status", out.Status, instance.Tainted)
			wantEqual(t, "objects", f.count(), 1)
			wantEqual(t, "tainted object replaced", f.plan(f.refresh(out).Instance, f.named("a")).Reason, terraform.ReplaceBecauseTainted)
		})
	})
	t.Run("an update that fails halfway is stored (V69)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			in := f.create(f.named("a"))
			f.fail("Apply", "error")
			out, diags := f.engine.Apply(t.Context(),
				f.plan(in, f.object(map[string]cty.Value{"name": cty.StringVal("a"), "size": cty.NumberIntVal(1)})))
			wantError(t, diags, "Fault: Apply")
			wantEqual(t, "status", out.Status, instance.Full)
			wantValue(t, "identity", out.Identity, in.Identity)
			wantEqual(t, "private", string(out.Private), string(in.Private))
		})
	})
	t.Run("a delete that fails keeps the object (V71)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			in := f.create(f.named("a"))
			f.fail("Apply", "error")
			p, diags := f.engine.PlanDestroy(t.Context(), f.resource, in)
			wantNoErrors(t, diags)
			out, diags := f.engine.Apply(t.Context(), p)
			wantError(t, diags, "Fault: Apply")
			wantValue(t, "state", out.State, in.State)
			wantValue(t, "identity", out.Identity, in.Identity)
			f.fail("Apply", "")
			f.destroy(f.refresh(out).Instance)
		})
	})
	t.Run("an update gets the planned identity (V102)", func(t *testing.T) {
		onFramework(t, variant{}, func(t *testing.T, f *fixture) {
			in := f.create(f.named("a"))
			out := f.apply(f.plan(in, f.object(map[string]cty.Value{"name": cty.StringVal("a"), "size": cty.NumberIntVal(1)})))
			wantValue(t, "identity", out.Identity, in.Identity)
			if last(f.applies).PlannedIdentity == nil {
				t.Error("the planned identity was not passed back")
			}
		})
	})
	t.Run("a delete gets the identity (V103)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			in := f.create(f.named("a"))
			plans := len(f.plans)
			f.destroy(in)
			p, _ := f.Schema(t.Context())
			wantEqual(t, "plan asked", len(f.plans) > plans, p.Capabilities.PlanDestroy)
			if last(f.applies).PlannedIdentity == nil {
				t.Error("the delete was not told the identity")
			}
			wantEqual(t, "objects", f.count(), 0)
		})
	})
	t.Run("the SDK's private bytes are passed on (V123)", func(t *testing.T) {
		f := newThing(t, cases.SDK, variant{})
		in := f.refresh(f.stored(f.create(f.named("a")))).Instance
		f.destroy(f.refresh(in).Instance)
		if private := last(f.applies).PlannedPrivate; !bytes.Contains(private,
			[]byte("e2bfb730-ecaa-11e6-8f88-34363bc7c4c0")) ||
			!bytes.Contains(private, []byte(`"delete":420000000000`)) {
			t.Errorf("the delete was sent the private bytes %s", private)
		}
	})
	t.Run("a muxed provider plans the destruction of an SDK resource (V131)", func(t *testing.T) {
		objects, other := thing(cases.SDK, variant{}), thing(cases.Framework5, variant{})
		other.Schema().Type = "cloud_other"
		mux := &inprocess.Launcher{Name: "mux", Protocol5: func() (tfprotov5.ProviderServer, error) {
			mux, err := tf5muxserver.NewMuxServer(t.Context(), made(t, launcher(cases.SDK, objects, false)),
				made(t, launcher(cases.Framework5, other, false)))
			if err != nil {
				return nil, err
			}
			return mux.ProviderServer(), nil
		}}
		f := newFixture(t, objects, mux)
		p, _ := f.Schema(t.Context())
		wantEqual(t, "plan_destroy", p.Capabilities.PlanDestroy, true)
		in := f.create(f.named("a"))
		plan, diags := f.engine.PlanDestroy(t.Context(), f.resource, in)
		wantNoErrors(t, diags)
		wantEqual(t, "planned private", string(plan.Private), string(in.Private))
		wantEqual(t, "planned identity", last(f.planned).PlannedIdentity == nil, true)
		f.apply(plan)
		wantEqual(t, "objects", f.count(), 0)
	})
}

// made returns a function that makes the servers of a launcher, of protocol 5.
func made(t *testing.T, l *inprocess.Launcher) func() tfprotov5.ProviderServer {
	return func() tfprotov5.ProviderServer {
		server, err := l.Protocol5()
		if err != nil {
			t.Error(err)
		}
		return server
	}
}

func TestVectorsRead(t *testing.T) {
	t.Run("an object that is gone is created (V76)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			in := f.create(f.named("a"))
			f.objects.Remove(idOf(in))
			out := f.refresh(in).Instance
			wantEqual(t, "exists", out.Exists(), false)
			wantEqual(t, "has identity", out.HasIdentity(), false)
			wantEqual(t, "action", f.plan(out, f.named("a")).Action, terraform.Create)
		})
	})
	t.Run("removed attributes are stripped from a state of the same version (V81)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a"), "label": cty.StringVal("of the cloud")})
			out := f.refresh(f.decode(`{"version":1,"status":"Full","state":{"id":"t-1","name":"a","removed":1}}`)).Instance
			wantValue(t, "label", out.State.GetAttr("label"), cty.StringVal("of the cloud"))
		})
	})
	t.Run("a state of an earlier version is passed whole (V82)", func(t *testing.T) {
		onEach(t, variant{schemaVersion: 1, renamed: map[string]string{"title": "name"}}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a")})
			refreshed := f.refresh(f.decode(`{"version":1,"status":"Full","state":{"id":"t-1","title":"old"}}`))
			wantValue(t, "upgraded name", refreshed.Upgraded.GetAttr("name"), cty.StringVal("old"))
			out := refreshed.Instance
			wantValue(t, "name", out.State.GetAttr("name"), cty.StringVal("a"))
			wantEqual(t, "schema version", out.SchemaVersion, 1)
		})
	})
	t.Run("the SDK reads nothing without an id (V127)", func(t *testing.T) {
		f := newLegacy(t)
		in := f.create(f.named("a"))
		values := in.State.AsValueMap()
		values["id"] = cty.NullVal(cty.String)
		in.State, in.Wire = cty.ObjectVal(values), nil
		wantEqual(t, "exists", f.refresh(in).Instance.Exists(), false)
	})
	t.Run("an object without a stored identity is gone (V129)", func(t *testing.T) {
		onFramework(t, variant{}, func(t *testing.T, f *fixture) {
			in := f.create(f.named("a"))
			f.objects.Remove(idOf(in))
			in.Identity, in.Wire = cty.NullVal(in.Identity.Type()), nil
			answer, err := f.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
				TypeName: f.schema.Type, CurrentState: encode(t, in.State), Private: in.Private,
			})
			if err != nil {
				t.Fatal(err)
			}
			wantError(t, diagnostic.FromProtocol(answer.Diagnostics), "Missing Resource Identity After Read")
			wantEqual(t, "exists", f.refresh(in).Instance.Exists(), false) // the null state proves it
		})
	})
}

func TestVectorsIdentity(t *testing.T) {
	t.Run("a read adds an identity (V87)", func(t *testing.T) {
		onEach(t, variant{identityVersion: 1, noUpgraders: true}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a")})
			out := f.refresh(f.decode(`{"version":1,"status":"Full","state":{"id":"t-1","name":"a"}}`)).Instance
			wantValue(t, "identity", out.Identity, f.objects.Identity("t-1"))
			wantEqual(t, "identity version", out.IdentityVersion, 1)
		})
	})
	t.Run("a changed identity is the SDK's error (V89)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			in := f.create(f.named("a"))
			f.fail("Read", "newidentity")
			out, diags := f.engine.Refresh(t.Context(), f.resource, in)
			wantError(t, diags, "Unexpected Identity Change")
			wantValue(t, "state", out.Instance.State, in.State)
			wantValue(t, "identity", out.Instance.Identity, in.Identity)
		})
	})
	t.Run("an identity may change after an import (V90)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a")})
			full := f.objects.Identity("t-1")
			wantEqual(t, "the identity has a zone", full.GetAttr("zone").IsNull(), false)
			partial := cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("t-1"), "zone": cty.NullVal(cty.String)})
			out, diags := f.engine.Import(t.Context(), f.resource, terraform.ImportTarget{Identity: partial})
			wantNoErrors(t, diags)
			wantValue(t, "identity", out.Identity, full)
		})
	})
	t.Run("an identity of an earlier version is upgraded (V96)", func(t *testing.T) {
		onEach(t, variant{identityVersion: 1, renamed: map[string]string{"key": "id"}}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a")})
			out := f.refresh(
				f.decode(
					`{"version":1,"status":"Full","state":{"id":"t-1","name":"a"},"identity":{"key":"t-1","zone":"` +
						f.objects.Identity("t-1").GetAttr("zone").AsString() + `"}}`,
				),
			).Instance
			wantValue(t, "identity", out.Identity, f.objects.Identity("t-1"))
			wantEqual(t, "identity version", out.IdentityVersion, 1)
		})
	})
	t.Run("a failed upgrade of an identity stops (V97)", func(t *testing.T) {
		onEach(t, variant{identityVersion: 1, renamed: map[string]string{"key": "id"}}, func(t *testing.T, f *fixture) {
			f.fail("UpgradeIdentity", "error")
			in := f.decode(`{"version":1,"status":"Full","state":{"id":"t-1","name":"a"},"identity":{"key":"t-1"}}`)
			out, diags := f.engine.Refresh(t.Context(), f.resource, in)
			if !diags.HasErrors() {
				t.Fatal("no error")
			}
			wantEqual(t, "identity", string(out.Instance.RawIdentity), `{"key":"t-1"}`)
			wantEqual(t, "identity version", out.Instance.IdentityVersion, 0)
		})
		onFramework(t, variant{identityVersion: 1, noUpgraders: true}, func(t *testing.T, f *fixture) {
			in := f.decode(`{"version":1,"status":"Full","state":{"id":"t-1","name":"a"},"identity":{"key":"t-1"}}`)
			out, diags := f.engine.Refresh(t.Context(), f.resource, in)
			wantError(t, diags, "Unable to Upgrade Resource Identity")
			wantEqual(t, "identity", string(out.Instance.RawIdentity), `{"key":"t-1"}`)
		})
	})
	t.Run("an identity of a later version is refused (V98)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			_, diags := f.engine.Refresh(t.Context(), f.resource,
				f.decode(
					`{"version":1,"status":"Full","state":{"id":"t-1","name":"a"},"identitySchemaVersion":2,"identity":{"id":"t-1"}}`,
				))
			wantError(t, diags, "Resource instance managed by newer provider version")
			wantEqual(t, "reads", len(f.reads), 0)
		})
	})
	t.Run("no identity is not upgraded (V99)", func(t *testing.T) {
		onEach(t, variant{identityVersion: 1, noUpgraders: true}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a")})
			out := f.refresh(f.decode(`{"version":1,"status":"Full","state":{"id":"t-1","name":"a"}}`)).Instance
			wantValue(t, "identity", out.Identity, f.objects.Identity("t-1"))
		})
	})
}

func TestVectorsImport(t *testing.T) {
	t.Run("an optional attribute of an identity is missing (V106)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a")})
			for name, target := range map[string]terraform.ImportTarget{
				"by id": {ID: "t-1"}, "by identity": {Identity: f.objects.Identity("t-1")},
			} {
				out, diags := f.engine.Import(t.Context(), f.resource, target)
				if diags.HasErrors() {
					t.Fatalf("%s: %s", name, diags)
				}
				wantValue(t, name+": identity", out.Identity, f.objects.Identity("t-1"))
				wantValue(t, name+": name", out.State.GetAttr("name"), cty.StringVal("a"))
				wantEqual(t, name+": status", out.Status, instance.Full)
			}
			wantEqual(t, "objects", f.count(), 1)
		})
	})
	t.Run("an import of what does not exist (V111)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			for name, target := range map[string]terraform.ImportTarget{
				"by id": {ID: "t-9"}, "by identity": {Identity: f.objects.Identity("t-9")},
			} {
				out, diags := f.engine.Import(t.Context(), f.resource, target)
				if !diags.HasSummary("Cannot import non-existent remote object") || out.Exists() {
					t.Errorf("%s: %s", name, diags)
				}
			}
		})
	})
	t.Run("the read after an import has the import's private bytes (V112)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a")})
			if _, diags := f.engine.Import(t.Context(), f.resource, terraform.ImportTarget{ID: "t-1"}); diags.HasErrors() {
				t.Fatal(diags)
			}
			if private := last(f.reads).Private; !bytes.Contains(private, []byte(".import_before_read")) {
				t.Errorf("the read was sent the private bytes %s", private)
			}
		})
	})
	t.Run("the plan after an import (V113)", func(t *testing.T) {
		onEach(t, variant{}, func(t *testing.T, f *fixture) {
			f.put("t-1", map[string]cty.Value{"name": cty.StringVal("a"), "size": cty.NumberIntVal(2)})
			out, diags := f.engine.Import(t.Context(), f.resource, terraform.ImportTarget{ID: "t-1"})
			wantNoErrors(t, diags)
			same := f.object(map[string]cty.Value{"name": cty.StringVal("a"), "size": cty.NumberIntVal(2)})
			wantEqual(t, "same", f.plan(out, same).Action, terraform.NoOp)
			other := f.object(map[string]cty.Value{"name": cty.StringVal("a"), "size": cty.NumberIntVal(3)})
			wantEqual(t, "another size", f.plan(out, other).Action, terraform.Update)
			wantEqual(t, "another name", f.plan(out, f.named("b")).Action, terraform.DeleteThenCreate)
		})
	})
}
