package vectors_test

import (
	"context"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
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
	"github.com/landbridge-io/landbridge/test/vectors/internal/cloud"
)

// servers are the ways in which the provider is made.
var servers = map[string]func(*cloud.Cloud, cloud.Options) *inprocess.Launcher{
	"SDKv2": func(c *cloud.Cloud, o cloud.Options) *inprocess.Launcher {
		return &inprocess.Launcher{Name: "sdk", Protocol5: func() tfprotov5.ProviderServer { return cloud.SDK(c, o, "cloud") }}
	},
	"framework5": func(c *cloud.Cloud, o cloud.Options) *inprocess.Launcher {
		return &inprocess.Launcher{Name: "framework5", Protocol5: func() tfprotov5.ProviderServer { return cloud.Framework5(c, o, "cloud") }}
	},
	"framework6": func(c *cloud.Cloud, o cloud.Options) *inprocess.Launcher {
		return &inprocess.Launcher{Name: "framework6", Protocol6: func() tfprotov6.ProviderServer { return cloud.Framework6(c, o, "cloud") }}
	},
}

// onEach runs a test on every kind of server.
func onEach(t *testing.T, o cloud.Options, test func(*testing.T, *fixture)) {
	t.Helper()
	for name, launcher := range servers {
		t.Run(name, func(t *testing.T) {
			c := &cloud.Cloud{}
			test(t, newFixture(t, c, launcher(c, o), "cloud_thing"))
		})
	}
}

// fixture is an engine over a real server, and the cloud behind that.
type fixture struct {
	testing.TB
	*recorder
	cloud    *cloud.Cloud
	launcher *inprocess.Launcher
	engine   *engine.Engine
	schema   *schema.Resource
	resource terraform.ResourceType
}

func newFixture(t testing.TB, c *cloud.Cloud, launcher *inprocess.Launcher, resourceType string) *fixture {
	t.Helper()
	server, err := launcher.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	p, diags := server.Schema(t.Context())
	wantNoErrors(t, diags)
	if p.Resources[resourceType] == nil {
		t.Fatalf("no resource type %s", resourceType)
	}
	config := p.Config.EmptyValue()
	b := []byte{0x80}
	if config.LengthInt() > 0 {
		t.Fatal("the provider has a configuration")
	}
	answer, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.15.0", Config: &tfprotov6.DynamicValue{MsgPack: b}, ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{},
	})
	if err != nil {
		t.Fatal(err)
	}
	wantNoErrors(t, diagnostic.FromProtocol(answer.Diagnostics))
	r := &recorder{Server: server}
	return &fixture{
		TB: t, recorder: r, cloud: c, launcher: launcher, engine: engine.New(r),
		schema: p.Resources[resourceType], resource: terraform.ResourceType{Schema: p.Resources[resourceType]},
	}
}

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

func (r *recorder) PlanResourceChange(ctx context.Context, q *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	r.plans = append(r.plans, q)
	a, err := r.Server.PlanResourceChange(ctx, q)
	r.planned = append(r.planned, a)
	return a, err
}

func (r *recorder) ApplyResourceChange(ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
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

func identity(id string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)})
}

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
