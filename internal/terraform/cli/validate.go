package cli

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// Validate implements terraform.Executor.
func (e *Executor) Validate(ctx context.Context, r terraform.ResourceType, config terraform.Config) diagnostic.Diagnostics {
	none := e.replay(log{})
	if diags := engine.New(none).Validate(ctx, r, config); !none.missing {
		return diags
	}
	if diags := e.unsupported(r.Schema, config.Value); diags.HasErrors() {
		return diags
	}
	out, diags := e.run(ctx, job{
		args: validating, configuration: configuration{resource: r, wanted: &config},
		session: e.validates(r.Schema, config),
	})
	if diags.HasErrors() {
		return diags
	}
	replayed := e.replay(out.log)
	return e.conclude(out, replayed, engine.New(replayed).Validate(ctx, r, config))
}

// validates returns a session that asks the provider to validate only the wanted configuration.
func (e *Executor) validates(r *schema.Resource, config terraform.Config) *session {
	return &session{validate: func(q *tfprotov6.ValidateResourceConfigRequest) *tfprotov6.ValidateResourceConfigResponse {
		at, ok := sameConfig(r, config.Value, q.Config)
		if ok {
			return nil
		}
		return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: []*tfprotov6.Diagnostic{{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: "Configuration cannot be written",
			Detail: "The language of " + string(e.runner.Program().Product) + " cannot express the value of " +
				diagnostic.FormatPath(at) + ". Use another execution.",
		}}}
	}}
}

// sameConfig reports whether the program read the wanted configuration, or else where it differs.
func sameConfig(r *schema.Resource, wanted cty.Value, read *tfprotov6.DynamicValue) (at cty.Path, ok bool) {
	if read == nil {
		return nil, false
	}
	got, err := wire.Unmarshal(read.MsgPack, r.ImpliedType())
	if err != nil {
		return nil, false
	}
	if got.RawEquals(wanted) {
		return nil, true
	}
	_ = cty.Walk(wanted, func(path cty.Path, v cty.Value) (bool, error) {
		x, err := path.Apply(got)
		if err == nil && x.RawEquals(v) {
			return false, nil
		}
		if len(path) > len(at) {
			at = path.Copy()
		}
		return !v.Type().IsSetType(), nil
	})
	// Computed blocks that are not configured may be null on one side and empty on the other.
	if n := r.Block.Blocks; len(at) == 1 && n[at[0].(cty.GetAttrStep).Name] != nil && n[at[0].(cty.GetAttrStep).Name].Computed {
		return nil, true
	}
	return at, false
}

// unsupported returns errors for features that this version of the program does not support.
func (e *Executor) unsupported(r *schema.Resource, config cty.Value) diagnostic.Diagnostics {
	p := e.runner.Program()
	if p.WriteOnly {
		return nil
	}
	var out diagnostic.Diagnostics
	_ = cty.Walk(config, func(path cty.Path, v cty.Value) (bool, error) {
		if a := r.Block.AttributeByPath(path); a != nil && a.WriteOnly && !v.IsNull() {
			out = append(out, diagnostic.AttributeErrorf(path, "Write-only attribute not supported",
				"%s does not support write-only attributes. Use version %s or later, or another execution.", p,
				commandline.Needs[p.Product].WriteOnly)...)
			return false, nil
		}
		return true, nil
	})
	return out
}
