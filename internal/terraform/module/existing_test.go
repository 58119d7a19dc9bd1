package module_test

import (
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// TestExistingObject: an object that exists is not taken over, or overwritten, by a create of the
// same identity. The module's other objects are created, and its own ones are not in its way.
func TestExistingObject(t *testing.T) {
	t.Parallel()
	for name, unchecked := range map[string]bool{"refused": false, "without looking": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t, commandline.Options{})
			x := e.executor(e.server)
			e.apply(e.plan(x, instance.Instance{}, e.config(1, "a"))) // of another instance
			requested := 0
			p := e.plan(x, instance.Instance{}, e.config(1, "a", "b"))
			p.CreateUnchecked = unchecked
			out, diags := e.executor(e.requested(func() { requested++ })).Apply(t.Context(), p)
			live := e.cloud.Audit(t).Live
			if unchecked {
				if terraform.ObjectExists(diags) || requested != 2 {
					t.Errorf("%d requests, and %v", requested, diags)
				}
				return
			}
			if !terraform.ObjectExists(diags) || terraform.OutcomeUnknown(diags) || requested != 1 || live != 2 {
				t.Fatalf("%d requests, %d objects, and %v", requested, live, diags)
			}
			if text := diags.String(); !strings.Contains(text,
				`examplecloud_datastore.rack["a"] cannot take it over`) ||
				!strings.Contains(text, "spec.lifecycle.existenceCheck") {
				t.Errorf("the message is %s", text)
			}
			if !out.Exists() {
				t.Fatal("the object that was created is not in the instance")
			}
			// The next one changes its own object, and is refused again.
			if out, diags = x.Apply(t.Context(),
				e.plan(x, out, e.config(2, "a", "b"))); !terraform.ObjectExists(diags) || e.cloud.Audit(t).Live != 2 {
				t.Errorf("%v", diags)
			}
			if out, diags = x.Apply(t.Context(), e.plan(x, out, e.config(2, "b"))); diags.HasErrors() {
				t.Errorf("without it: %v", diags)
			}
			gone, _ := x.PlanDestroy(t.Context(), e.resource(), out)
			if _, diags = x.Apply(t.Context(), gone); diags.HasErrors() || e.cloud.Audit(t).Live != 1 {
				t.Errorf("%d objects are left, and %v", e.cloud.Audit(t).Live, diags)
			}
		})
	}
}
