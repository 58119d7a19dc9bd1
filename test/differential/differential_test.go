package differential_test

import (
	"context"
	"testing"

	"github.com/landbridge-io/landbridge/diagnostic"
	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/terraform"
	"github.com/landbridge-io/landbridge/test/differential"
	"github.com/landbridge-io/landbridge/test/differential/internal/cases"
	"github.com/landbridge-io/landbridge/test/differential/internal/tofu"
)

func harness(t *testing.T) *differential.Harness {
	t.Helper()
	path, err := tofu.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h, err := differential.New(t.Context(), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func some(n int) []*cases.Case {
	var out []*cases.Case
	for i := range n {
		out = append(out, differential.Generate(7, i))
	}
	return out
}

// Many more cases are the command's business.
func TestSomeCases(t *testing.T) {
	h := harness(t)
	found, err := h.Run(t.Context(), some(60))
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range found {
		t.Errorf("case %d of seed 7: %s", i, d[0])
	}
	if h.Steps < 200 {
		t.Errorf("only %d steps were compared", h.Steps)
	}
}

func TestFixtures(t *testing.T) {
	names, all, err := differential.Fixtures("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("there are no fixtures")
	}
	found, err := harness(t).Run(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range found {
		t.Errorf("%s: %s", names[i], d[0])
	}
}

// broken is the engine with something wrong.
type broken struct {
	terraform.Executor
	refresh func(*instance.Instance)
	plan    func(*terraform.Plan)
	apply   func(*instance.Instance)
	config  func(*terraform.Config)
}

func (b broken) Refresh(ctx context.Context, r terraform.Resource, in instance.Instance) (terraform.Refreshed, diagnostic.Diagnostics) {
	if b.refresh != nil {
		b.refresh(&in)
	}
	return b.Executor.Refresh(ctx, r, in)
}

func (b broken) Plan(ctx context.Context, r terraform.Resource, in instance.Instance, config terraform.Config) (terraform.Plan, diagnostic.Diagnostics) {
	if b.config != nil {
		b.config(&config)
	}
	p, diags := b.Executor.Plan(ctx, r, in, config)
	if b.plan != nil {
		b.plan(&p)
	}
	return p, diags
}

func (b broken) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	out, diags := b.Executor.Apply(ctx, p)
	if b.apply != nil {
		b.apply(&out)
	}
	return out, diags
}

// What is wrong must be found, wherever it is.
func TestFindsWhatIsBroken(t *testing.T) {
	h := harness(t)
	for name, wrong := range map[string]broken{
		"private bytes are not sent":   {refresh: func(in *instance.Instance) { in.Private = nil }},
		"private bytes are not stored": {apply: func(in *instance.Instance) { in.Private = nil }},
		"the identity is not sent": {refresh: func(in *instance.Instance) {
			in.Identity, in.RawIdentity, in.Wire = instance.Instance{}.Identity, nil, nil
		}},
		"nothing is tainted":            {apply: func(in *instance.Instance) { in.Status = statusOf(in, instance.Tainted, instance.Full) }},
		"the flag is not stored":        {apply: func(in *instance.Instance) { in.CreateBeforeDestroy = false }},
		"planned private is forgotten":  {plan: func(p *terraform.Plan) { p.Private = nil }},
		"ignore_changes is ignored":     {config: func(c *terraform.Config) { c.IgnoreChanges = terraform.IgnoreChanges{} }},
		"updates instead of replacing":  {plan: func(p *terraform.Plan) { p.Action = actionOf(p) }},
		"the configuration is not sent": {plan: func(p *terraform.Plan) { p.Config = p.Prior.State }},
	} {
		t.Run(name, func(t *testing.T) {
			h.Wrap = func(e terraform.Executor) terraform.Executor { wrong.Executor = e; return wrong }
			found, err := h.Run(t.Context(), some(60))
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				t.Error("nobody noticed")
			}
		})
	}
}

func statusOf(in *instance.Instance, from, to instance.Status) instance.Status {
	if in.Status == from {
		return to
	}
	return in.Status
}

func actionOf(p *terraform.Plan) terraform.Action {
	if p.Action.IsReplace() {
		return terraform.Update
	}
	return p.Action
}

func TestShrink(t *testing.T) {
	h := harness(t)
	h.Wrap = func(e terraform.Executor) terraform.Executor {
		return broken{Executor: e, apply: func(in *instance.Instance) { in.Private = nil }}
	}
	all := some(20)
	found, err := h.Run(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range found {
		small, d, err := h.Shrink(t.Context(), all[i], d[0])
		if err != nil {
			t.Fatal(err)
		}
		if len(small.Steps) > 2 || len(small.Schemas[0].Block.Attributes) > 2 {
			t.Errorf("case %d is still of %d steps and %d attributes: %s", i, len(small.Steps), len(small.Schemas[0].Block.Attributes), d)
		}
		return
	}
	t.Fatal("there is nothing to shrink")
}
