package desired_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/model"
)

// FuzzKnown checks that annotations which name an object, and which users may write, end no
// process, and name an object whole or not at all.
func FuzzKnown(f *testing.F) {
	models := []*model.Resource{
		identified(f), identified(f, "name!", "region"), identified(f, "cluster_id!", "name!", "region"),
		identified(f, "number#!"),
	}
	f.Add("i-1", "")
	f.Add("a", `{"name":"a"}`)
	f.Add("cluster_id=c,name=a", `{"number":9007199254740993}`)
	f.Add("c/a", `{"name":["a"]}`)
	f.Fuzz(func(t *testing.T, externalName, identity string) {
		annotations := map[string]string{"crossplane.io/external-name": externalName, "landbridge.io/identity": identity}
		for _, m := range models {
			spec, diags := desired.Read(m, desired.CustomResource{Annotations: annotations})
			if diags.HasErrors() || spec.Known == nil {
				continue
			}
			if target := spec.Known.Target; target.ID == "" && (target.Identity == cty.NilVal || !target.Identity.IsWhollyKnown()) {
				t.Errorf("%q, %q: %+v", externalName, identity, target)
			}
		}
	})
}
