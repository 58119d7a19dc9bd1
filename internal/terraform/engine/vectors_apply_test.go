//lint:file-ignore SA1019 Providers of the legacy SDK still set UnsafeToUseLegacyTypeSystem.

package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// answersApply sets the server's answer to an apply.
func (f *fixture) answersApply(state cty.Value, private string, id cty.Value, diags []*tfprotov6.Diagnostic) {
	f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
		answer := &tfprotov6.ApplyResourceChangeResponse{NewState: f.enc(state), Private: []byte(private), Diagnostics: diags}
		if id != cty.NilVal {
			answer.NewIdentity = f.encIdentity(id)
		}
		return answer, nil
	}
}

func TestVectorsApply(t *testing.T) {
	const invalidResult = "Provider returned invalid result object after apply"
	a := object(map[string]cty.Value{"o": str("a")})
	b := object(map[string]cty.Value{"o": str("b")})
	none := cty.NullVal(thing().ImpliedType())
	failed := providerError("It failed", "")

	t.Run("a legacy provider's inconsistent result is stored (V64)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return &tfprotov6.ApplyResourceChangeResponse{NewState: f.enc(b), UnsafeToUseLegacyTypeSystem: true}, nil
		}
		var log bytes.Buffer
		ctx := logr.NewContext(t.Context(), funcr.New(func(_, args string) { log.WriteString(args) }, funcr.Options{Verbosity: 1}))
		p, diags := f.plan(instance.Instance{}, a)
		wantNoErrors(t, diags)
		out, diags := f.engine.Apply(ctx, p)
		wantNoErrors(t, diags)
		wantValue(t, "state", out.State, b)
		wantEqual(t, "status", out.Status, instance.Full)
		if !strings.Contains(log.String(), `"attribute"="o"`) {
			t.Errorf("the problem was not logged: %s", &log)
		}
	})

	t.Run("a create that fails halfway is stored tainted (V65)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersApply(object(map[string]cty.Value{"o": str("a"), "c": unknown}), "p", identity("1"), failed)
		out, diags := f.create(a)
		wantError(t, diags, "It failed")
		wantError(t, diags, invalidResult)
		wantValue(t, "state", out.State, a)
		wantValue(t, "identity", out.Identity, identity("1"))
		wantEqual(t, "private", string(out.Private), "p")
		wantEqual(t, "status", out.Status, instance.Tainted)
		if terraform.OutcomeUnknown(diags) {
			t.Error("the outcome is known")
		}
	})

	t.Run("a create that fails stores nothing (V66)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersApply(none, "", cty.NilVal, failed)
		out, diags := f.create(a)
		wantError(t, diags, "It failed")
		wantEqual(t, "exists", out.Exists(), false)
		wantEqual(t, "status", out.Status, instance.Empty)
		wantEqual(t, "outcome unknown", terraform.OutcomeUnknown(diags), false)
	})

	t.Run("a create without an object and without an error is an error (V67)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersApply(none, "", cty.NilVal, nil)
		out, diags := f.create(a)
		wantError(t, diags, invalidResult)
		wantEqual(t, "exists", out.Exists(), false)
	})

	t.Run("an inconsistent create is stored tainted (V68)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersApply(b, "p", identity("1"), nil)
		out, diags := f.create(a)
		wantError(t, diags, "Provider produced inconsistent result after apply")
		wantEqual(t, "status", out.Status, instance.Tainted)
		wantValue(t, "state", out.State, b)
		wantValue(t, "identity", out.Identity, identity("1"))
	})

	t.Run("an update that fails halfway is stored (V69)", func(t *testing.T) {
		f := newFixture(t, thing())
		partial := object(map[string]cty.Value{"o": str("half")})
		f.answersApply(partial, "new", cty.NilVal, failed)
		out, diags := f.change(f.existing(a, identity("1"), "p"), b)
		wantError(t, diags, "It failed")
		wantValue(t, "state", out.State, partial)
		wantEqual(t, "status", out.Status, instance.Full)
		wantEqual(t, "private", string(out.Private), "new")
		wantValue(t, "identity", out.Identity, identity("1"))
		wantEqual(t, "identity version", out.IdentityVersion, 2)
		// SDKv2's early failures have no private bytes either.
		f.answersApply(a, "", cty.NilVal, failed)
		out, _ = f.change(f.existing(a, identity("1"), "p"), b)
		wantEqual(t, "private", string(out.Private), "p")
	})

	t.Run("a provider that crashes in an update changes nothing (V70)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return nil, status.Error(codes.Unavailable, "gone")
		}
		out, diags := f.change(f.existing(a, identity("1"), "p"), b)
		wantError(t, diags, "Plugin did not respond")
		wantValue(t, "state", out.State, a)
		wantValue(t, "identity", out.Identity, identity("1"))
		wantEqual(t, "private", string(out.Private), "p")
		wantEqual(t, "outcome unknown", terraform.OutcomeUnknown(diags), false)
		// The same with an answer without an object.
		f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return &tfprotov6.ApplyResourceChangeResponse{}, nil
		}
		out, diags = f.change(f.existing(a, identity("1"), "p"), b)
		wantError(t, diags, "Provider produced invalid object")
		wantValue(t, "identity", out.Identity, identity("1"))
		wantEqual(t, "private", string(out.Private), "p")
	})

	t.Run("a delete that fails keeps the object (V71)", func(t *testing.T) {
		for name, answered := range map[string]cty.Value{"SDKv2": none, "framework": a} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				in := f.existing(a, identity("1"), "p")
				in.Status = instance.Tainted
				f.answersApply(answered, "", cty.NilVal, failed)
				out, diags := f.destroy(in)
				wantError(t, diags, "It failed")
				wantValue(t, "state", out.State, a)
				wantValue(t, "identity", out.Identity, identity("1"))
				wantEqual(t, "private", string(out.Private), "p")
				wantEqual(t, "status", out.Status, instance.Tainted)
				f.answersApply(none, "", cty.NilVal, nil)
				out, diags = f.destroy(out)
				wantNoErrors(t, diags)
				wantEqual(t, "exists", out.Exists(), false)
			})
		}
	})

	t.Run("a delete that leaves an object is an error (V72)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersApply(a, "", cty.NilVal, nil)
		out, diags := f.destroy(f.existing(a, identity("1"), "p"))
		wantError(t, diags, invalidResult)
		wantValue(t, "state", out.State, a)
		wantValue(t, "identity", out.Identity, identity("1"))
		wantEqual(t, "status", out.Status, instance.Full)
	})

	t.Run("a result with a write-only value is an error (V73)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansTo(a)
		f.answersApply(object(map[string]cty.Value{"o": str("a"), "wo": str("hunter2")}), "p", identity("1"), nil)
		out, diags := f.create(object(map[string]cty.Value{"o": str("a"), "wo": str("hunter2")}))
		wantError(t, diags, "Provider produced invalid object")
		wantValue(t, "state", out.State, a)
		wantValue(t, "identity", out.Identity, identity("1"))
		wantEqual(t, "status", out.Status, instance.Tainted)
		if strings.Contains(diags.String(), "hunter2") {
			t.Errorf("the error tells the value: %s", diags)
		}
		if bytes.Contains(out.Wire.State, []byte("hunter2")) {
			t.Error("the value is kept in Wire")
		}
	})

	t.Run("a tainted object is destroyed and created (V74)", func(t *testing.T) {
		f := newFixture(t, thing())
		in := f.existing(a, identity("1"), "p")
		in.Status = instance.Tainted
		p, diags := f.plan(in, a)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
		wantEqual(t, "reason", p.Reason, terraform.ReplaceBecauseTainted)
		wantEqual(t, "plan calls", count[*tfprotov6.PlanResourceChangeRequest](f), 1)
		request := last[*tfprotov6.PlanResourceChangeRequest](f)
		wantValue(t, "prior", f.dec(request.PriorState), none)
		wantEqual(t, "private", string(request.PriorPrivate), "")
		wantEqual(t, "identity sent", request.PriorIdentity != nil, false)
		out, diags := f.destroy(in)
		wantNoErrors(t, diags)
		p, diags = f.plan(out, a)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.Create)
		out, diags = f.engine.Apply(t.Context(), p)
		wantNoErrors(t, diags)
		wantEqual(t, "status", out.Status, instance.Full)
	})

	t.Run("a tainted object that is gone is only created (V75)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
			return &tfprotov6.ReadResourceResponse{NewState: f.enc(none)}, nil
		}
		in := f.existing(a, identity("1"), "p")
		in.Status = instance.Tainted
		out, diags := f.refresh(in)
		wantNoErrors(t, diags)
		wantEqual(t, "status", out.Instance.Status, instance.Empty)
		p, diags := f.plan(out.Instance, a)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.Create)
		wantEqual(t, "reason", p.Reason, "")
	})
}
