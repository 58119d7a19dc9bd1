package engine_test

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// operations returns all operations of the engine, with an existing object where they need one.
func operations(f *fixture) map[string]func() (instance.Instance, diagnostic.Diagnostics) {
	in := f.existing(object(map[string]cty.Value{"o": str("a")}), identity("1"), "p")
	b := object(map[string]cty.Value{"o": str("b")})
	return map[string]func() (instance.Instance, diagnostic.Diagnostics){
		"refresh": func() (instance.Instance, diagnostic.Diagnostics) {
			out, diags := f.refresh(in)
			return out.Instance, diags
		},
		"validate": func() (instance.Instance, diagnostic.Diagnostics) {
			return in, f.engine.Validate(f.Context(), f.resource, terraform.Config{Value: b})
		},
		"plan": func() (instance.Instance, diagnostic.Diagnostics) {
			p, diags := f.plan(in, b)
			return p.Prior, diags
		},
		"plan destroy": func() (instance.Instance, diagnostic.Diagnostics) {
			p, diags := f.engine.PlanDestroy(f.Context(), f.resource, in)
			return p.Prior, diags
		},
		"apply": func() (instance.Instance, diagnostic.Diagnostics) {
			return f.engine.Apply(f.Context(), terraform.Plan{
				Resource: f.resource, Action: terraform.Update, Prior: in, State: b, Config: b, Identity: identity("1"),
			})
		},
		"import": func() (instance.Instance, diagnostic.Diagnostics) {
			_, diags := f.engine.Import(f.Context(), f.resource, terraform.ImportTarget{ID: "1"})
			return in, diags
		},
	}
}

// A failed call, as opposed to an answer with errors, loses nothing.
func TestCallErrors(t *testing.T) {
	gone := status.Error(codes.Unavailable, "gone")
	breaks := map[string]func(*fixture){
		"validate": func(f *fixture) {
			f.Validate = func(*tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
				return nil, gone
			}
		},
		"refresh": func(f *fixture) {
			f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) { return nil, gone }
		},
		"upgrade": func(f *fixture) {
			f.Upgrade = func(*tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
				return nil, gone
			}
		},
		"plan": func(f *fixture) {
			f.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				return nil, gone
			}
		},
		"apply": func(f *fixture) {
			f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
				return nil, gone
			}
		},
		"import": func(f *fixture) {
			f.Import = func(*tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
				return nil, gone
			}
		},
	}
	operationOf := map[string]string{"upgrade": "refresh"}
	for name, breakIt := range breaks {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			breakIt(f)
			operation := name
			if operationOf[name] != "" {
				operation = operationOf[name]
			}
			out, diags := operations(f)[operation]()
			wantError(t, diags, "Plugin did not respond")
			wantValue(t, "state", out.State, object(map[string]cty.Value{"o": str("a")}))
			wantValue(t, "identity", out.Identity, identity("1"))
			wantEqual(t, "private", string(out.Private), "p")
		})
	}
	t.Run("plan destroy", func(t *testing.T) {
		f := newFixture(t, thing())
		breaks["plan"](f)
		_, diags := operations(f)["plan destroy"]()
		wantError(t, diags, "Plugin did not respond")
	})
	t.Run("read of an import", func(t *testing.T) {
		f := newFixture(t, thing())
		f.imports(f.imported(object(nil), identity("1"), ""))
		breaks["refresh"](f)
		_, diags := operations(f)["import"]()
		wantError(t, diags, "Plugin did not respond")
	})
	t.Run("identity upgrade", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Identity = nil // as in an older provider
		_, diags := f.refresh(f.stored(`{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"},"identity":{"arn":"x"}}`))
		wantError(t, diags, "Unsupported plugin method")
	})
}

// Diagnostics of every call are returned.
func TestDiagnostics(t *testing.T) {
	for name, severity := range map[string]tfprotov6.DiagnosticSeverity{
		"warning": tfprotov6.DiagnosticSeverityWarning, "error": tfprotov6.DiagnosticSeverityError, "unknown": 0,
	} {
		t.Run(name, func(t *testing.T) {
			said := []*tfprotov6.Diagnostic{nil, {Severity: severity, Summary: "Hear, hear", Attribute: attributePath("o")}}
			f := newFixture(t, thing())
			upgrade, read, plan, apply := f.Upgrade, f.Read, f.Plan, f.Apply
			f.Validate = func(*tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
				return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: said}, nil
			}
			f.Upgrade = func(r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
				a, err := upgrade(r)
				a.Diagnostics = said
				return a, err
			}
			f.Read = func(r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
				a, err := read(r)
				a.Diagnostics = said
				return a, err
			}
			f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				a, err := plan(r)
				a.Diagnostics = said
				return a, err
			}
			f.Apply = func(r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
				a, err := apply(r)
				a.Diagnostics = said
				return a, err
			}
			f.Import = func(*tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
				return &tfprotov6.ImportResourceStateResponse{
					Diagnostics: said, ImportedResources: []*tfprotov6.ImportedResource{
						nil, f.imported(object(nil), identity("1"), ""),
					},
				}, nil
			}
			for name, operation := range operations(f) {
				_, diags := operation()
				if diags.HasErrors() != (severity != tfprotov6.DiagnosticSeverityWarning) {
					t.Errorf("%s: %s", name, diags)
				}
				if len(diags) == 0 || diags[0].Summary != "Hear, hear" || !diags[0].Attribute.Equals(cty.GetAttrPath("o")) {
					t.Errorf("%s: %v", name, diags)
				}
			}
		})
	}
}

// Every call allows deferrals. A deferred answer is an error with the provider's reason.
func TestDeferral(t *testing.T) {
	for reason, want := range map[tfprotov6.DeferredReason]terraform.Deferral{
		tfprotov6.DeferredReasonUnknown:               terraform.DeferredUnknown,
		tfprotov6.DeferredReasonResourceConfigUnknown: terraform.DeferredResourceConfigUnknown,
		tfprotov6.DeferredReasonProviderConfigUnknown: terraform.DeferredProviderConfigUnknown,
		tfprotov6.DeferredReasonAbsentPrereq:          terraform.DeferredAbsentPrereq,
	} {
		t.Run(string(want), func(t *testing.T) {
			deferred := &tfprotov6.Deferred{Reason: reason}
			f := newFixture(t, thing())
			f.Read = func(r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
				return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Deferred: deferred}, nil
			}
			f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, Deferred: deferred}, nil
			}
			f.Import = func(*tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
				return &tfprotov6.ImportResourceStateResponse{Deferred: deferred}, nil
			}
			all := operations(f)
			for _, name := range []string{"refresh", "plan", "plan destroy", "import"} {
				_, diags := all[name]()
				if got := terraform.DeferralOf(diags); got != want {
					t.Errorf("%s: %q in %s", name, got, diags)
				}
			}
			read, plan, imported := last[*tfprotov6.ReadResourceRequest](f),
				last[*tfprotov6.PlanResourceChangeRequest](f), last[*tfprotov6.ImportResourceStateRequest](f)
			if read.ClientCapabilities == nil || plan.ClientCapabilities == nil || imported.ClientCapabilities == nil ||
				!read.ClientCapabilities.DeferralAllowed || !plan.ClientCapabilities.DeferralAllowed || !imported.ClientCapabilities.DeferralAllowed {
				t.Error("the client capabilities do not allow deferrals")
			}
		})
	}
}

// Every value field is sent, even if it is null, and so are client capabilities.
func TestRequestsAreComplete(t *testing.T) {
	f := newFixture(t, thing())
	f.imports(f.imported(object(nil), identity("1"), ""))
	in, diags := f.create(object(map[string]cty.Value{"o": str("a")}))
	wantNoErrors(t, diags)
	for _, operation := range operations(f) {
		if _, diags := operation(); diags.HasErrors() {
			t.Fatal(diags)
		}
	}
	if _, diags := f.destroy(in); diags.HasErrors() {
		t.Fatal(diags)
	}
	whole := func(what string, v *tfprotov6.DynamicValue) {
		if v == nil || len(v.MsgPack) == 0 || len(v.JSON) > 0 {
			t.Errorf("%s: %v", what, v)
		}
	}
	for _, c := range f.Calls() {
		switch c := c.(type) {
		case *tfprotov6.ValidateResourceConfigRequest:
			whole("validate: config", c.Config)
			wantEqual(t, "write-only attributes allowed", c.ClientCapabilities.WriteOnlyAttributesAllowed, true)
		case *tfprotov6.ReadResourceRequest:
			whole("read: state", c.CurrentState)
		case *tfprotov6.PlanResourceChangeRequest:
			whole("plan: prior", c.PriorState)
			whole("plan: proposed", c.ProposedNewState)
			whole("plan: config", c.Config)
		case *tfprotov6.ApplyResourceChangeRequest:
			whole("apply: prior", c.PriorState)
			whole("apply: planned", c.PlannedState)
			whole("apply: config", c.Config)
		}
	}
}

func TestProviderMeta(t *testing.T) {
	f := newFixture(t, thing())
	_, diags := f.create(object(nil))
	wantNoErrors(t, diags)
	wantEqual(t, "meta sent without a schema", last[*tfprotov6.ApplyResourceChangeRequest](f).ProviderMeta == nil, true)

	f = newFixture(t, thing())
	f.Provider.Meta = &schema.Block{Attributes: map[string]*schema.Attribute{"module": {Type: cty.String, Optional: true}}}
	f.imports(f.imported(object(nil), identity("1"), ""))
	run := func() []*tfprotov6.DynamicValue {
		for name, operation := range operations(f) {
			if _, diags := operation(); diags.HasErrors() {
				t.Fatalf("%s: %s", name, diags)
			}
		}
		in, diags := f.create(object(nil))
		wantNoErrors(t, diags)
		_, diags = f.destroy(in)
		wantNoErrors(t, diags)
		return []*tfprotov6.DynamicValue{
			last[*tfprotov6.ReadResourceRequest](f).ProviderMeta,
			last[*tfprotov6.PlanResourceChangeRequest](f).ProviderMeta,
			last[*tfprotov6.ApplyResourceChangeRequest](f).ProviderMeta,
		}
	}
	for _, meta := range run() {
		if meta == nil || string(meta.MsgPack) != "\xc0" {
			t.Errorf("unset meta was sent as %v", meta)
		}
	}
	f.resource.ProviderMeta = cty.ObjectVal(map[string]cty.Value{"module": str("m")})
	for _, meta := range run() {
		if meta == nil || string(meta.MsgPack) != "\x81\xa6module\xa1m" {
			t.Errorf("meta was sent as %v", meta)
		}
	}
	f.resource.ProviderMeta = cty.True
	for name, operation := range operations(f) {
		if _, diags := operation(); !diags.HasSummary("Invalid provider_meta") {
			t.Errorf("%s: %s", name, diags)
		}
	}
}

// Without the provider's schema, every operation is an error.
func TestNoSchema(t *testing.T) {
	f := newFixture(t, thing())
	f.SchemaDiagnostics = diagnostic.Errorf("No schema", "There is none.")
	for name, operation := range operations(f) {
		if _, diags := operation(); !diags.HasSummary("No schema") {
			t.Errorf("%s: %s", name, diags)
		}
	}
	wantEqual(t, "calls", len(f.Calls()), 0)
}

// Answers may be JSON; later requests are msgpack.
func TestJSONAnswers(t *testing.T) {
	f := newFixture(t, thing())
	f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
		return &tfprotov6.ReadResourceResponse{
			NewState: &tfprotov6.DynamicValue{JSON: []byte(`{"o":"json"}`)}, Private: []byte("p"),
			NewIdentity: &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{JSON: []byte(`{"id":"1"}`)}},
		}, nil
	}
	out, diags := f.refresh(f.existing(object(nil), identity("1"), "p"))
	wantNoErrors(t, diags)
	wantValue(t, "state", out.Instance.State, object(map[string]cty.Value{"o": str("json")}))
	wantValue(t, "identity", out.Instance.Identity, identity("1"))
	out, diags = f.refresh(out.Instance)
	wantNoErrors(t, diags)
	wantEqual(t, "unchanged", out.Unchanged, true)
	wantValue(t, "state sent", f.dec(last[*tfprotov6.ReadResourceRequest](f).CurrentState), object(map[string]cty.Value{"o": str("json")}))
	wantValue(t, "identity sent", f.decIdentity(last[*tfprotov6.ReadResourceRequest](f).CurrentIdentity), identity("1"))
}

// An answer that cannot be decoded is an error without values.
func TestMalformedAnswers(t *testing.T) {
	rubbish := &tfprotov6.DynamicValue{MsgPack: []byte("\x81\xa1o\xa7hunter2")}
	f := newFixture(t, thing())
	f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
		return &tfprotov6.ReadResourceResponse{NewState: rubbish}, nil
	}
	f.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
		return &tfprotov6.PlanResourceChangeResponse{PlannedState: rubbish}, nil
	}
	f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
		return &tfprotov6.ApplyResourceChangeResponse{NewState: rubbish}, nil
	}
	f.Import = func(*tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
		return &tfprotov6.ImportResourceStateResponse{
			ImportedResources: []*tfprotov6.ImportedResource{{TypeName: "test_thing", State: rubbish}},
		}, nil
	}
	for name, summary := range map[string]string{
		"refresh": "Provider produced invalid object", "plan": "Provider produced invalid plan", "plan destroy": "Provider produced invalid plan",
		"apply": "Provider produced invalid object", "import": "Provider produced invalid object",
	} {
		out, diags := operations(f)[name]()
		if !diags.HasSummary(summary) {
			t.Errorf("%s: %s", name, diags)
		}
		if errors.Is(diags.Err(), nil) || len(diags) != 1 {
			t.Errorf("%s: %s", name, diags)
		}
		wantValue(t, name+": state", out.State, object(map[string]cty.Value{"o": str("a")}))
		wantEqual(t, name+": private", string(out.Private), "p")
	}
}
