package module

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/schema"
)

// secrets returns a redactor of the sensitive values of the module's variables and resources, which
// its providers may quote.
func (e *Executor) secrets(ctx context.Context, given values, sensitive []cty.Path, state []byte) *redact.Redactor {
	out := &redact.Redactor{}
	for name, v := range given {
		if e.module.Variables[name].Sensitive {
			out.AddValue(v)
		}
	}
	for _, p := range sensitive {
		if v, err := p.Apply(e.module.object(given, nil)); err == nil {
			out.AddValue(v)
		}
	}
	if state == nil {
		return out
	}
	byType := map[string]*schema.Resource{}
	for _, server := range e.servers {
		if p, diags := server.Schema(ctx); !diags.HasErrors() {
			for t, r := range p.Resources {
				byType[t] = r
			}
		}
	}
	file, err := tfstate.Read(state, func(t string) *schema.Resource { return byType[t] })
	if err != nil {
		return out
	}
	for r, i := range file.All() {
		conceal(out, byType[r.Type], i.Instance)
		for _, d := range i.Deposed {
			conceal(out, byType[r.Type], d.Instance())
		}
	}
	return out
}

// conceal registers the sensitive values of an object.
func conceal(into *redact.Redactor, r *schema.Resource, in instance.Instance) {
	if r == nil || in.State == cty.NilVal {
		return
	}
	_ = cty.Walk(in.State, func(p cty.Path, v cty.Value) (bool, error) {
		if a := r.Block.AttributeByPath(p); a != nil && a.Sensitive {
			into.AddValue(v)
			return false, nil
		}
		return true, nil
	})
	for _, p := range in.SensitivePaths {
		if v, err := p.Apply(in.State); err == nil {
			into.AddValue(v)
		}
	}
}

// redacted removes secrets from diagnostics.
func redacted(diags diagnostic.Diagnostics, secrets *redact.Redactor) diagnostic.Diagnostics {
	r := secrets.Replacer()
	for i := range diags {
		diags[i].Summary, diags[i].Detail = r.Replace(diags[i].Summary), r.Replace(diags[i].Detail)
	}
	return diags
}
