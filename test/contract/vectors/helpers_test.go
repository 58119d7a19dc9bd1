package vectors_test

import (
	"context"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
)

// onEach runs a test with the thing of every SDK.
func onEach(t *testing.T, v variant, test func(*testing.T, *fixture)) {
	t.Helper()
	for _, style := range styles {
		t.Run(names[style], func(t *testing.T) { test(t, newThing(t, style, v)) })
	}
}

// onFramework is onEach for what only the plugin framework does.
func onFramework(t *testing.T, v variant, test func(*testing.T, *fixture)) {
	t.Helper()
	for _, style := range []cases.Style{cases.Framework5, cases.Framework6} {
		t.Run(names[style], func(t *testing.T) { test(t, newThing(t, style, v)) })
	}
}

// newThing returns a fixture of the thing of one SDK.
func newThing(t *testing.T, style cases.Style, v variant) *fixture {
	t.Helper()
	objects := thing(style, v)
	return newFixture(t, objects, launcher(style, objects, true))
}

// newLegacy returns a fixture of the type that has what only the legacy SDK does.
func newLegacy(t *testing.T) *fixture {
	t.Helper()
	objects := legacy()
	return newFixture(t, objects, launcher(cases.SDK, objects, true))
}

// fixture is an engine over a real server, and the remote objects behind that.
type fixture struct {
	testing.TB
	*recorder
	objects  *cloud.Active
	engine   *engine.Engine
	schema   *schema.Resource
	resource terraform.ResourceType
}

func newFixture(t testing.TB, objects *cloud.Active, launcher *inprocess.Launcher) *fixture {
	t.Helper()
	server, err := launcher.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	p, diags := server.Schema(t.Context())
	wantNoErrors(t, diags)
	served := p.Resources[objects.Schema().Type]
	if served == nil {
		t.Fatalf("no resource type %s", objects.Schema().Type)
	}
	if p.Config.EmptyValue().LengthInt() > 0 {
		t.Fatal("the provider has a configuration")
	}
	answer, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.15.0", Config: &tfprotov6.DynamicValue{MsgPack: []byte{0x80}},
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{},
	})
	if err != nil {
		t.Fatal(err)
	}
	wantNoErrors(t, diagnostic.FromProtocol(answer.Diagnostics))
	r := &recorder{Server: server}
	return &fixture{
		TB: t, recorder: r, objects: objects, engine: engine.New(r), schema: served,
		resource: terraform.ResourceType{Schema: served},
	}
}

// count returns how many remote objects there are.
func (f *fixture) count() int { return len(f.objects.World().Objects) }

// configs returns the configurations of all applies.
func (f *fixture) configs() []cty.Value {
	var out []cty.Value
	for _, call := range f.objects.Calls() {
		if config, ok := call.Fields["config"].(cty.Value); ok && call.RPC == "Apply" {
			out = append(out, config)
		}
	}
	return out
}

// put creates or changes a remote object: what is not given is null.
func (f *fixture) put(id string, values map[string]cty.Value) {
	f.Helper()
	block := f.objects.Schema().Block
	all := block.EmptyValue().AsValueMap()
	maps.Copy(all, values)
	all["id"] = cty.StringVal(id)
	f.objects.Put(id, cty.ObjectVal(all))
}

// fail makes every call of an RPC fail, or behave as another fault of package cloud; "" heals it.
func (f *fixture) fail(rpc, fault string) { f.objects.Step.Faults = map[string]string{rpc: fault} }

// recorder keeps the requests that tests ask for.
type recorder struct {
	provider.Server
	reads   []*tfprotov6.ReadResourceRequest
	plans   []*tfprotov6.PlanResourceChangeRequest
	applies []*tfprotov6.ApplyResourceChangeRequest
	planned []*tfprotov6.PlanResourceChangeResponse
}

func (r *recorder) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	r.reads = append(r.reads, q)
	return r.Server.ReadResource(ctx, q)
}

func (r *recorder) PlanResourceChange(
	ctx context.Context, q *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	r.plans = append(r.plans, q)
	a, err := r.Server.PlanResourceChange(ctx, q)
	r.planned = append(r.planned, a)
	return a, err
}

func (r *recorder) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	r.applies = append(r.applies, q)
	return r.Server.ApplyResourceChange(ctx, q)
}

func last[T any](all []T) T { return all[len(all)-1] }

// object is a value of the fixture's resource type: what is not given is empty.
func (f *fixture) object(values map[string]cty.Value) cty.Value {
	all := f.schema.Block.EmptyValue().AsValueMap()
	maps.Copy(all, values)
	return cty.ObjectVal(all)
}

// named is a configuration that only names the thing.
func (f *fixture) named(name string) cty.Value {
	return f.object(map[string]cty.Value{"name": cty.StringVal(name)})
}

func (f *fixture) plan(in instance.Instance, config cty.Value) terraform.Plan {
	f.Helper()
	p, diags := f.engine.Plan(f.Context(), f.resource, in, terraform.Config{Value: config})
	wantNoErrors(f.TB, diags)
	return p
}

func (f *fixture) create(config cty.Value) instance.Instance {
	f.Helper()
	p := f.plan(instance.Instance{}, config)
	wantEqual(f.TB, "action", p.Action, terraform.Create)
	out, diags := f.engine.Apply(f.Context(), p)
	wantNoErrors(f.TB, diags)
	wantEqual(f.TB, "status", out.Status, instance.Full)
	return out
}

func (f *fixture) apply(p terraform.Plan) instance.Instance {
	f.Helper()
	out, diags := f.engine.Apply(f.Context(), p)
	wantNoErrors(f.TB, diags)
	return out
}

func (f *fixture) refresh(in instance.Instance) terraform.Refreshed {
	f.Helper()
	out, diags := f.engine.Refresh(f.Context(), f.resource, in)
	wantNoErrors(f.TB, diags)
	return out
}

func (f *fixture) destroy(in instance.Instance) instance.Instance {
	f.Helper()
	p, diags := f.engine.PlanDestroy(f.Context(), f.resource, in)
	wantNoErrors(f.TB, diags)
	out := f.apply(p)
	wantEqual(f.TB, "exists", out.Exists(), false)
	return out
}

// stored is an instance as after a restart: encoded and decoded again.
func (f *fixture) stored(in instance.Instance) instance.Instance {
	f.Helper()
	b, err := instance.Encode(in, f.schema)
	if err != nil {
		f.Fatal(err)
	}
	out, err := instance.Decode(b, f.schema)
	if err != nil {
		f.Fatal(err)
	}
	return out
}

func (f *fixture) decode(encoded string) instance.Instance {
	f.Helper()
	in, err := instance.Decode([]byte(encoded), f.schema)
	if err != nil {
		f.Fatal(err)
	}
	return in
}

// idOf returns the id of an instance's object.
func idOf(in instance.Instance) string { return in.State.GetAttr("id").AsString() }

func wantNoErrors(t testing.TB, diags diagnostic.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatalf("unexpected errors:\n%s", diags)
	}
}

func wantError(t *testing.T, diags diagnostic.Diagnostics, summary string) {
	t.Helper()
	if !diags.HasSummary(summary) {
		t.Fatalf("no error %q, but:\n%s", summary, diags)
	}
}

func wantEqual[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantValue(t *testing.T, what string, got, want cty.Value) {
	t.Helper()
	if got == cty.NilVal || !got.RawEquals(want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

func encode(t *testing.T, v cty.Value) *tfprotov6.DynamicValue {
	t.Helper()
	b, err := wire.Marshal(v, v.Type())
	if err != nil {
		t.Fatal(err)
	}
	return &tfprotov6.DynamicValue{MsgPack: b}
}
