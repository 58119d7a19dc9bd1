package differential_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/contract/differential"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

func harness(t *testing.T) *differential.Harness { return made(t, differential.New) }

func made(t *testing.T, create func(ctx context.Context, path, dir string) (*differential.Harness, error)) *differential.Harness {
	t.Helper()
	path, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	h, err := create(t.Context(), path, t.TempDir())
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

// What is wrong with landbridge as a program is found. `make differential` compares all saved cases
// and more of these; here only as many as it takes.
func TestPrograms(t *testing.T) {
	h := made(t, differential.Programs)
	names, all, err := differential.Fixtures("testdata")
	if err != nil {
		t.Fatal(err)
	}
	_, all = differential.ForPrograms(names, all)
	for i := range 4 {
		all = append(all, differential.GenerateForPrograms(7, i))
	}
	for batch := range slices.Chunk(all, 5) {
		h.MangleStep = nil
		found, err := h.Run(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range found {
			t.Errorf("case %d of %d: %s", i, len(batch), d[0])
		}
		h.MangleStep = func(s *cases.Step) { s.CreateBeforeDestroy = !s.CreateBeforeDestroy }
		if found, err = h.Run(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			return
		}
	}
	t.Error("the inverted create_before_destroy went unnoticed")
}

// broken is a provider between which and the engine something goes wrong.
type broken struct {
	provider.Server
	read    func(*tfprotov6.ReadResourceRequest)
	plan    func(*tfprotov6.PlanResourceChangeRequest)
	planned func(*tfprotov6.PlanResourceChangeResponse)
	apply   func(*tfprotov6.ApplyResourceChangeRequest)
	applied func(*tfprotov6.ApplyResourceChangeResponse)
	said    func([]*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic
}

func (b broken) ValidateResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	out, err := b.Server.ValidateResourceConfig(ctx, q)
	if b.said != nil && err == nil {
		out.Diagnostics = b.said(out.Diagnostics)
	}
	return out, err
}

func (b broken) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if b.read != nil {
		b.read(q)
	}
	return b.Server.ReadResource(ctx, q)
}

func (b broken) PlanResourceChange(
	ctx context.Context, q *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	if b.plan != nil {
		b.plan(q)
	}
	out, err := b.Server.PlanResourceChange(ctx, q)
	if b.planned != nil && err == nil {
		b.planned(out)
	}
	return out, err
}

func (b broken) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if b.apply != nil {
		b.apply(q)
	}
	out, err := b.Server.ApplyResourceChange(ctx, q)
	if b.applied != nil && err == nil {
		b.applied(out)
	}
	return out, err
}

// What is wrong must be found, wherever it is.
func TestFindsWhatIsBroken(t *testing.T) {
	h := harness(t)
	for name, wrong := range map[string]struct {
		broken
		step func(*cases.Step)
	}{
		"private bytes are not sent":   {broken: broken{read: func(q *tfprotov6.ReadResourceRequest) { q.Private = nil }}},
		"private bytes are not stored": {broken: broken{applied: func(a *tfprotov6.ApplyResourceChangeResponse) { a.Private = nil }}},
		"the identity is not sent":     {broken: broken{read: func(q *tfprotov6.ReadResourceRequest) { q.CurrentIdentity = nil }}},
		"the identity is not stored":   {broken: broken{applied: func(a *tfprotov6.ApplyResourceChangeResponse) { a.NewIdentity = nil }}},
		"nothing is tainted": {broken: broken{applied: func(a *tfprotov6.ApplyResourceChangeResponse) {
			if a.NewState != nil {
				a.Diagnostics = nil
			}
		}}},
		"the flag is not stored":        {step: func(s *cases.Step) { s.CreateBeforeDestroy = false }},
		"planned private is forgotten":  {broken: broken{apply: func(q *tfprotov6.ApplyResourceChangeRequest) { q.PlannedPrivate = nil }}},
		"planned identity is forgotten": {broken: broken{apply: func(q *tfprotov6.ApplyResourceChangeRequest) { q.PlannedIdentity = nil }}},
		"ignore_changes is ignored":     {step: func(s *cases.Step) { s.IgnoreChanges = nil }},
		"updates instead of replacing":  {broken: broken{planned: func(a *tfprotov6.PlanResourceChangeResponse) { a.RequiresReplace = nil }}},
		"the configuration is not sent": {broken: broken{plan: func(q *tfprotov6.PlanResourceChangeRequest) { q.Config = q.PriorState }}},
		"provider_meta is not sent":     {broken: broken{plan: func(q *tfprotov6.PlanResourceChangeRequest) { q.ProviderMeta = nil }}},
		"marks are forgotten":           {step: func(s *cases.Step) { s.Sensitive = nil }},
		"warnings are not passed on": {broken: broken{said: func(in []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
			return slices.DeleteFunc(in, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityWarning })
		}}},
		"paths are not passed on": {broken: broken{said: func(in []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
			for i, d := range in {
				in[i] = &tfprotov6.Diagnostic{Severity: d.Severity, Summary: d.Summary, Detail: d.Detail}
			}
			return in
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			h.Mangle = func(s provider.Server) provider.Server { wrong.Server = s; return wrong.broken }
			h.MangleStep = wrong.step
			all := some(200)
			for batch := range slices.Chunk(all, 20) {
				found, err := h.Run(t.Context(), batch)
				if err != nil {
					t.Fatal(err)
				}
				if len(found) > 0 {
					return
				}
			}
			t.Error("the difference went unnoticed")
		})
	}
}

func TestShrink(t *testing.T) {
	h := harness(t)
	h.Mangle = func(s provider.Server) provider.Server {
		return broken{Server: s, applied: func(a *tfprotov6.ApplyResourceChangeResponse) { a.Private = nil }}
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
