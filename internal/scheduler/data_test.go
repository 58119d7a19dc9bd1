package scheduler_test

import (
	"maps"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

// What a data source has read is the object of a resource as far as it has its identity, or its id
// where there is no identity.
func TestOwnedElsewhere(t *testing.T) {
	for _, kind := range []identityKind{plannedIdentity, assigned, noIdentity} {
		t.Run(string(kind), func(t *testing.T) {
			newEstate(t, kind, func(x *estate) {
				a := x.resource("a", 1, "x")
				a.settle()
				rec, ok := a.record()
				if !ok {
					t.Fatal("nothing is stored")
				}
				data := rec.Instance.State.AsValueMap()
				if id := rec.Instance.Identity; id != cty.NilVal && !id.IsNull() {
					maps.Copy(data, id.AsValueMap())
				}
				by := ownership.Access{Configuration: "default"}
				of := a.r.Type.Schema
				without := cty.ObjectVal(map[string]cty.Value{"other": cty.True})
				for name, test := range map[string]struct {
					namespace string
					by        ownership.Access
					data      cty.Value
					want      bool
				}{
					"another namespace":     {"other", by, cty.ObjectVal(data), true},
					"its own namespace":     {"team", by, cty.ObjectVal(data), false},
					"another configuration": {"other", ownership.Access{Configuration: "another"}, cty.ObjectVal(data), false},
					"no identity":           {"other", by, without, false},
				} {
					if got := a.sched.OwnedElsewhere(t.Context(), test.namespace, test.by, of, test.data); got != test.want {
						t.Errorf("%s: %t, want %t", name, got, test.want)
					}
				}
				x.gone = map[types.UID]bool{a.r.UID: true}
				if a.sched.OwnedElsewhere(t.Context(), "other", by, of, cty.ObjectVal(data)) {
					t.Error("a resource that does not exist any more owns it")
				}
			})
		})
	}
}
