package generatetest

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// InProcessOptions are the options of InProcess.
type InProcessOptions struct {
	// Schema is the file with the recorded schema.
	Schema string
	// Provider is the path of the provider's own program.
	Provider string
	// Protocol5 or Protocol6 makes a server of the linked provider, as in program.Program.
	Protocol5 func() (tfprotov5.ProviderServer, error)
	Protocol6 func() (tfprotov6.ProviderServer, error)
}

// InProcess tests the provider that is linked into the program, which may have other versions of
// the modules that it depends on than its own program. It has the recorded schema, its servers
// share nothing that shows, and it validates, upgrades and plans each resource type as its own
// program does. No server is configured.
func InProcess(t *testing.T, o InProcessOptions) {
	t.Helper()
	for _, name := range plugin.LogVariables {
		t.Setenv(name, string(plugin.LogOff))
	}
	own := log.Writer()
	log.SetOutput(io.Discard) // that of providers on the legacy SDK
	t.Cleanup(func() { log.SetOutput(own) })

	raw, err := os.ReadFile(o.Schema)
	if err != nil {
		t.Fatal(err)
	}
	record, err := schema.DecodeRecord(raw)
	if err != nil {
		t.Fatalf("%s: %v", o.Schema, err)
	}
	linked := &testedProvider{t: t, launcher: &inprocess.Launcher{Name: "linked", Protocol5: o.Protocol5, Protocol6: o.Protocol6}}
	alone := &testedProvider{t: t, launcher: &plugin.Launcher{Path: o.Provider}}
	t.Run("schema", func(t *testing.T) {
		want, err := record.Schema.Sum()
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range map[string]*testedProvider{"the linked provider": linked, o.Provider: alone} {
			s, diags := p.get().Schema(t.Context())
			if diags.HasErrors() {
				t.Fatalf("%s: %v", name, diags.Err())
			}
			sum, err := s.Sum()
			if err != nil {
				t.Fatal(err)
			}
			if sum != want {
				t.Errorf("%s has another schema than %s: record it again, or link the recorded version", name, o.Schema)
			}
		}
	})
	t.Run("servers", func(t *testing.T) {
		linked.get()
		second, err := linked.launcher.Launch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := second.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(record.Schema.Resources)) {
		t.Run(name, func(t *testing.T) {
			r := record.Schema.Resources[name]
			if diff := cmp.Diff(alone.answers(r), linked.answers(r)); diff != "" {
				t.Errorf("-the provider's own program, +linked:\n%s", diff)
			}
		})
	}
}

// testedProvider is a provider that is started when it is needed, and again after it has crashed.
type testedProvider struct {
	t        *testing.T
	launcher provider.Launcher
	server   provider.Server
}

func (p *testedProvider) get() provider.Server {
	p.t.Helper()
	if p.server != nil {
		select {
		case <-p.server.Done():
		default:
			return p.server
		}
	}
	s, err := p.launcher.Launch(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = s.Close(context.Background()) })
	p.server = s
	return s
}

// answers returns what the provider answers to calls for a resource type.
func (p *testedProvider) answers(r *schema.Resource) map[string]any {
	ctx, ty := p.t.Context(), r.ImpliedType()
	config := sampleConfig(r)
	encode := func(v cty.Value) *tfprotov6.DynamicValue {
		raw, err := wire.Marshal(v, ty)
		if err != nil {
			p.t.Fatalf("%s: %v", r.Type, err)
		}
		return &tfprotov6.DynamicValue{MsgPack: raw}
	}
	decode := func(v *tfprotov6.DynamicValue) string {
		if v == nil {
			return ""
		}
		value, err := wire.Unmarshal(v.MsgPack, ty)
		if err != nil {
			return err.Error()
		}
		return value.GoString()
	}
	out := map[string]any{}
	validated, err := p.get().ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: r.Type, Config: encode(config)})
	if out["validate: fails"] = err != nil; err == nil {
		out["validate: diagnostics"] = texts(validated.Diagnostics)
	}
	upgraded, err := p.get().UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: r.Type, Version: r.Version, RawState: &tfprotov6.RawState{JSON: []byte("{}")},
	})
	if out["upgrade: fails"] = err != nil; err == nil {
		out["upgrade: state"], out["upgrade: diagnostics"] = decode(upgraded.UpgradedState), texts(upgraded.Diagnostics)
	}
	null := cty.NullVal(ty)
	planned, err := p.get().PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: r.Type, PriorState: encode(null),
		ProposedNewState: encode(objchange.ProposedNew(r.Block, null, config)), Config: encode(config),
	})
	if out["plan: fails"] = err != nil; err == nil {
		out["plan: state"], out["plan: private"], out["plan: diagnostics"] = decode(planned.PlannedState),
			string(planned.PlannedPrivate), texts(planned.Diagnostics)
		var replace []string
		for _, path := range planned.RequiresReplace {
			replace = append(replace, path.String())
		}
		slices.Sort(replace)
		out["plan: requires replacement"] = replace
	}
	return out
}

// sampleConfig returns a configuration in which arguments that are required are unknown, and others
// null.
func sampleConfig(r *schema.Resource) cty.Value {
	values := r.Block.EmptyValue().AsValueMap()
	for name, a := range r.Block.Attributes {
		if a.Required {
			values[name] = cty.UnknownVal(a.ImpliedType())
		}
	}
	if len(values) == 0 {
		return cty.EmptyObjectVal
	}
	return cty.ObjectVal(values)
}

func texts(diagnostics []*tfprotov6.Diagnostic) []string {
	var out []string
	for _, d := range diagnostics {
		out = append(out, fmt.Sprintf("%s: %s: %s: %s", d.Severity, d.Attribute, d.Summary, d.Detail))
	}
	slices.Sort(out)
	return out
}
