package references_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// A value that is not known yet is unknown in the configuration, also in a field of numbers, and
// after a transform.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	block := &schema.Block{Attributes: map[string]*schema.Attribute{
		"name": {Type: cty.String, Optional: true}, "size": {Type: cty.Number, Optional: true},
		"sizes": {Type: cty.List(cty.Number), Optional: true},
	}}
	provider, err := model.NewProvider("cloud", &schema.Provider{
		Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{"cloud_thing": {Type: "cloud_thing", Block: block}},
	}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	kind := provider.Resources["cloud_thing"]
	other := object("Vpc", "a", "new", nil)
	for to, want := range map[string]cty.Type{
		"forProvider.name": cty.String, "forProvider.size": cty.Number, "forProvider.sizes[0]": cty.Number,
	} {
		t.Run(to, func(t *testing.T) {
			u := object("Thing", "a", "x", m{"spec": m{"forProvider": m{}, "references": []any{m{
				"to": to, "from": m{"kind": "Vpc", "name": "new", "fieldPath": "status.atProvider.id", "transform": "int(self) + 1"},
			}}}})
			refs, err := references.Of(u, kind)
			if err != nil {
				t.Fatal(err)
			}
			unknown := references.NewPlaceholders()
			resolver := references.Resolver{
				Reader:  fake.NewClientBuilder().WithObjects(other).Build(),
				Served:  func(runtimeschema.GroupKind) (string, bool) { return "VpcList", true },
				Unknown: func(x *unstructured.Unstructured) any { return unknown.Of(x) },
			}
			found, err := resolver.Resolve(t.Context(), u, refs)
			if err != nil || len(found.Missing) > 0 {
				t.Fatal(err, found.Missing)
			}
			v, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "forProvider")
			var set any
			for _, x := range v.(m) {
				if set = x; to == "forProvider.sizes[0]" {
					set = x.([]any)[0]
				}
			}
			var value cty.Value
			switch set := set.(type) {
			case string:
				value = cty.StringVal(set)
			case int64:
				value = cty.NumberIntVal(set)
			}
			if value == cty.NilVal || value.Type() != want {
				t.Fatalf("the field has %#v, and not a %s", set, want.FriendlyName())
			}
			known := cty.NumberIntVal(7)
			got, err := unknown.In(cty.ObjectVal(map[string]cty.Value{"at": value, "known": known}))
			if err != nil {
				t.Fatal(err)
			}
			if at := got.GetAttr("at"); at.IsKnown() || at.Type() != want || !got.GetAttr("known").RawEquals(known) {
				t.Errorf("the configuration is %#v", got)
			}
		})
	}
}
