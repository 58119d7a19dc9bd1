package cli_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// TestRefreshPacked refreshes an instance of which only the values in the protocol's encoding are
// known: the scheduler keeps no more of a resource at rest.
func TestRefreshPacked(t *testing.T) {
	t.Parallel()
	x := newThings(t)
	ex := newRunner(t, tofu(t), commandline.Options{}).Executor(x.server)
	refresh := func(in instance.Instance) terraform.Refreshed {
		t.Helper()
		out, diags := ex.Refresh(t.Context(), x.resource, in)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return out
	}
	change := func(p terraform.Plan) {
		t.Helper()
		if _, diags := engine.New(x.server).Apply(t.Context(), p); diags.HasErrors() {
			t.Fatal(diags)
		}
	}
	whole := refresh(x.create("existing")).Instance
	packed, ok := whole.Packed()
	if !ok {
		t.Fatal("what was read cannot be packed")
	}
	if out := refresh(packed); !out.Unchanged || !out.Instance.IsPacked() ||
		out.Upgraded != cty.NilVal && !out.Upgraded.RawEquals(whole.State) {
		t.Errorf("of an unchanged object, got %+v", out)
	}
	change(x.plan(whole, "existing", 2))
	if out := refresh(packed); out.Unchanged || out.Instance.IsPacked() ||
		!out.Instance.State.GetAttr("size").RawEquals(cty.NumberIntVal(2)) || !out.Instance.HasIdentity() {
		t.Errorf("of a changed object, got %+v", out)
	}
	change(x.plan(whole, "", 0))
	if out := refresh(packed); out.Unchanged || out.Instance.Exists() {
		t.Errorf("of an object that is gone, got %+v", out)
	}
}
