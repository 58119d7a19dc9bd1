package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/framework"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/sdkv2"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/test/conformance"
)

var ctx = context.Background()

// world is a cloud with one provider that is run in one way, and a log of the results.
type world struct {
	*testing.T
	form  string
	way   conformance.Way
	cloud *examplecloudtest.Cloud

	provider *model.Provider
	server   provider.Server
	ex       terraform.Executor
	log      strings.Builder
}

func newWorld(t *testing.T, form string, way conformance.Way) *world {
	w := &world{T: t, form: form, way: way, cloud: examplecloudtest.Start(t)}
	w.release(release.Latest)
	return w
}

// release switches the provider to a release.
func (w *world) release(r release.Release) {
	w.Helper()
	w.provider, w.server = examplecloudtest.OpenLauncher(w, launcher(w, w.form, w.way, r), w.cloud)
	w.ex = executor(w.way, w.server)
}

func executor(way conformance.Way, server provider.Server) terraform.Executor {
	if runner := runners[way]; runner != nil {
		return runner.Executor(server)
	}
	return engine.New(server)
}

func launcher(t testing.TB, form string, way conformance.Way, r release.Release) provider.Launcher {
	t.Helper()
	if way != conformance.InProcess {
		env := map[string]string{}
		if r != release.Latest {
			env[release.Env] = strings.Replace(fmt.Sprint(int(r)), "-1", "pre", 1)
		}
		return &plugin.Launcher{Path: examplecloudtest.Provider(t, form), Env: env}
	}
	out := &inprocess.Launcher{Name: fmt.Sprint(form, " ", int(r))}
	switch form {
	case examplecloudtest.SDKv2:
		out.Protocol5 = func() (tfprotov5.ProviderServer, error) { return sdkv2.Server(ctx, r) }
	case examplecloudtest.Framework5:
		out.Protocol5 = func() (tfprotov5.ProviderServer, error) { return framework.Server5(r), nil }
	default:
		out.Protocol6 = func() (tfprotov6.ProviderServer, error) { return framework.Server6(r), nil }
	}
	return out
}

func (w *world) resource(name string) terraform.ResourceType {
	w.Helper()
	m := w.provider.Resources["examplecloud_"+name]
	if m == nil {
		w.Fatalf("there is no type %s", name)
	}
	return terraform.ResourceType{Schema: m.Schema}
}

// config returns a configuration from JSON, in which null and empty values may be omitted.
// "block:x" is x for an attribute, and a list with one element for a list block. "?x" is ignored if
// there is no x.
func (w *world) config(r terraform.ResourceType, text string) terraform.Config {
	w.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		w.Fatal(err)
	}
	values := r.Schema.Block.EmptyValue().AsValueMap()
	for name, raw := range fields {
		if bare, ok := strings.CutPrefix(name, "block:"); ok {
			if name = bare; values[name].Type().IsListType() {
				raw = json.RawMessage("[" + string(raw) + "]")
			}
		}
		name, optional := strings.CutPrefix(name, "?")
		old, ok := values[name]
		if !ok && optional {
			continue
		}
		if !ok {
			w.Fatalf("%s has no %s", r.Schema.Type, name)
		}
		v, err := wire.UnmarshalJSON(raw, old.Type())
		if err != nil {
			w.Fatalf("%s: %v", name, err)
		}
		values[name] = v
	}
	return terraform.Config{Value: cty.ObjectVal(values)}
}

// note writes to the log.
func (w *world) note(format string, args ...any) { fmt.Fprintf(&w.log, format+"\n", args...) }

func (w *world) diagnostics(diags diagnostic.Diagnostics) {
	for _, d := range diags {
		w.note("  %s: %s", d.Severity, d.Format(diagnostic.FormatPath))
	}
}

func (w *world) instance(in instance.Instance) {
	status := in.Status
	if status == instance.Empty {
		status = "Empty"
	}
	w.note("  %s", status)
	if !in.Exists() {
		return
	}
	w.value("state", in.State)
	w.value("identity", in.Identity)
	w.note("  versions %d, %d", in.SchemaVersion, in.IdentityVersion)
	w.note("  private %s", in.Private)
	if in.CreateBeforeDestroy {
		w.note("  create before destroy")
	}
	for _, p := range in.SensitivePaths {
		w.note("  sensitive %s", diagnostic.FormatPath(p))
	}
}

// value writes a value, one attribute per line, without nulls.
func (w *world) value(what string, v cty.Value) {
	if v == cty.NilVal || v.IsNull() {
		return
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range v.AsValueMap() {
			if !yield(name) {
				return
			}
		}
	}) {
		if x := v.GetAttr(name); !x.IsNull() {
			w.note("  %s.%s = %#v", what, name, x)
		}
	}
}

func (w *world) plan(r terraform.ResourceType, in instance.Instance, c terraform.Config) terraform.Plan {
	w.Helper()
	p, diags := w.ex.Plan(ctx, r, in, c)
	w.planned("plan", p, diags)
	return p
}

func (w *world) planDestroy(r terraform.ResourceType, in instance.Instance) terraform.Plan {
	w.Helper()
	p, diags := w.ex.PlanDestroy(ctx, r, in)
	w.planned("plan to destroy", p, diags)
	return p
}

func (w *world) planned(what string, p terraform.Plan, diags diagnostic.Diagnostics) {
	w.note("%s: %s %s", what, p.Action, p.Reason)
	w.diagnostics(diags)
	if diags.HasErrors() {
		return
	}
	w.value("state", p.State)
	if !p.Action.IsReplace() {
		// A replacement's new object is not applied by this plan. Terraform sends the provider the
		// old object's identity with the plan request, OpenTofu does not.
		w.value("identity", p.Identity)
	}
	w.note("  private %s", p.Private)
	for _, path := range p.RequiresReplace {
		w.note("  requires replace: %s", diagnostic.FormatPath(path))
	}
}

func (w *world) apply(p terraform.Plan) instance.Instance {
	w.Helper()
	return w.applyIn(ctx, p)
}

func (w *world) applyIn(ctx context.Context, p terraform.Plan) instance.Instance {
	w.Helper()
	out, diags := w.ex.Apply(ctx, p)
	w.note("apply: %s", p.Action)
	w.diagnostics(diags)
	if terraform.OutcomeUnknown(diags) {
		w.note("  outcome unknown")
	}
	w.instance(out)
	return out
}

func (w *world) refresh(r terraform.ResourceType, in instance.Instance) instance.Instance {
	w.Helper()
	out, diags := w.ex.Refresh(ctx, r, in)
	w.note("refresh: unchanged %v, identity upgrade %v", out.Unchanged, out.IdentityUpgrade)
	w.diagnostics(diags)
	if out.Upgraded != cty.NilVal && !out.Upgraded.RawEquals(in.State) {
		w.value("upgraded", out.Upgraded)
	}
	w.instance(out.Instance)
	return out.Instance
}

func (w *world) imports(r terraform.ResourceType, target terraform.ImportTarget) instance.Instance {
	w.Helper()
	out, diags := w.ex.Import(ctx, r, target)
	w.note("import")
	w.diagnostics(diags)
	w.instance(out)
	return out
}

// create plans and applies, and reads until nothing changes.
func (w *world) create(r terraform.ResourceType, c terraform.Config) instance.Instance {
	w.Helper()
	in := w.apply(w.plan(r, instance.Instance{}, c))
	if in.Status != instance.Full {
		w.Fatalf("nothing was created:\n%s", w.log.String())
	}
	return w.refresh(r, in)
}

// stored returns an instance after a round trip through the store, decoded by the current schema.
func (w *world) stored(r terraform.ResourceType, in instance.Instance, by terraform.ResourceType) instance.Instance {
	w.Helper()
	b, err := instance.Encode(in, r.Schema)
	if err != nil {
		w.Fatal(err)
	}
	out, err := instance.Decode(b, by.Schema)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// counts logs the changes in the cloud.
func (w *world) counts() {
	c := w.cloud.Audit(w)
	w.note("cloud: %d creates, %d updates, %d deletes, %d live", c.Creates, c.Updates, c.Deletes, c.Live)
}

// madeUp matches values that differ in each run.
var madeUp = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\b[a-z]{1,4}-[0-9a-f]{16}\b`), "<id>"},
	{regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "<uuid>"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "<cloud>"},
	{regexp.MustCompile(`\b[0-9a-f]{32,64}\b`), "<hex>"},
	{regexp.MustCompile(`\bserial-[0-9a-f]+\b`), "<serial>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`), "<time>"},
}

// text is the log, without what differs in each run.
func (w *world) text() string {
	out := w.log.String()
	for _, m := range madeUp {
		out = m.pattern.ReplaceAllString(out, m.name)
	}
	return out
}

// judge compares the log with the golden file, which is the same for all ways.
func (w *world) judge(behaviour string) {
	w.Helper()
	got := w.text()
	path := filepath.Join("testdata", w.form, behaviour+".golden")
	if *update && w.way == conformance.Plugin {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			w.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		w.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		w.Errorf("different from the other ways (-want +got):\n%s", diff)
	}
}

// leftBehind returns the files that remain in a directory of workspaces without a run.
func leftBehind(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "lock" {
			out = append(out, path)
		}
		return err
	})
	return out, err
}
