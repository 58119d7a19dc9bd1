package desired_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// identified returns a model whose identity has the named attributes. Those that end in ! are
// required for import, a type of number is marked by #. Without names there is no identity.
func identified(t testing.TB, attributes ...string) *model.Resource {
	t.Helper()
	var identity *schema.Identity
	for _, name := range attributes {
		if identity == nil {
			identity = &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{}}
		}
		a := &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
		if n := len(name) - 1; name[n] == '!' {
			name, a = name[:n], &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true}
		}
		if n := len(name) - 1; name[n] == '#' {
			name, a.Type = name[:n], cty.Number
		}
		identity.Attributes[name] = a
	}
	return resource(t, &schema.Resource{
		Block: &schema.Block{Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}}}, Identity: identity,
	}, config.Resource{})
}

func resource(t testing.TB, r *schema.Resource, c config.Resource) *model.Resource {
	t.Helper()
	r.Type = "test_thing"
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"test_thing": r}},
		config.Provider{Resources: map[string]config.Resource{"test_thing": c}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Resources["test_thing"]
}

func object(values map[string]string) cty.Value {
	out := map[string]cty.Value{}
	for name, v := range values {
		out[name] = cty.StringVal(v)
		if v == "" {
			out[name] = cty.NullVal(cty.String)
		}
	}
	return cty.ObjectVal(out)
}

func byIdentity(values map[string]string) *terraform.ImportTarget {
	return &terraform.ImportTarget{Identity: object(values)}
}

func byID(id string) *terraform.ImportTarget {
	return &terraform.ImportTarget{ID: id, Identity: cty.NilVal}
}

var sameValues = cmp.Comparer(func(a, b cty.Value) bool {
	if a == cty.NilVal || b == cty.NilVal {
		return a == cty.NilVal && b == cty.NilVal
	}
	return a.RawEquals(b)
})

func TestKnownTarget(t *testing.T) {
	plain, one, two := identified(t), identified(t, "name!", "region"), identified(t, "cluster_id!", "name!", "region")
	numbered := identified(t, "number#!")
	const externalName, identity = "crossplane.io/external-name", "landbridge.io/identity"
	for name, tc := range map[string]struct {
		model       *model.Resource
		annotations map[string]string
		want        *terraform.ImportTarget
	}{
		"nothing": {model: one},
		"an id":   {plain, map[string]string{externalName: "i-1"}, byID("i-1")},
		"an identity": {
			one, map[string]string{externalName: "a", identity: `{"name":"a"}`},
			byIdentity(map[string]string{"name": "a", "region": ""}),
		},
		"an identity of another schema": {one, map[string]string{externalName: "a", identity: `{"arn":"a"}`}, byID("a")},
		"an identity that is no JSON":   {one, map[string]string{externalName: "a", identity: `{`}, byID("a")},
		"an identity without a schema":  {plain, map[string]string{identity: `{"name":"a"}`}, nil},
		"a name":                        {one, map[string]string{externalName: "name=a"}, byID("name=a")},
		"a canonical identity": {
			two, map[string]string{externalName: "cluster_id=c,name=a"},
			byIdentity(map[string]string{"cluster_id": "c", "name": "a", "region": ""}),
		},
		"an id of several parts": {two, map[string]string{externalName: "c/a"}, byID("c/a")},
		"a number beyond float64": {numbered, map[string]string{identity: `{"number":9007199254740993}`}, &terraform.ImportTarget{
			Identity: cty.ObjectVal(map[string]cty.Value{"number": cty.NumberIntVal(9007199254740993)}),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			spec, diags := desired.Read(tc.model, desired.CustomResource{Annotations: tc.annotations})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			var got *terraform.ImportTarget
			if spec.Known != nil {
				got = &spec.Known.Target
			}
			if diff := cmp.Diff(tc.want, got, sameValues); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecognize(t *testing.T) {
	plain, one, two := identified(t), identified(t, "name!", "region"), identified(t, "name!", "region!")
	const externalName, identity = "crossplane.io/external-name", "landbridge.io/identity"
	found := func(id string, identity map[string]string) instance.Instance {
		in := instance.Instance{State: object(map[string]string{"id": id}), Identity: cty.NilVal}
		if identity != nil {
			in.Identity = object(identity)
		}
		return in
	}
	here := map[string]string{"name": "a", "region": "here"}
	for name, tc := range map[string]struct {
		model       *model.Resource
		annotations map[string]string
		found       instance.Instance
		want        bool
	}{
		"the id":                          {plain, map[string]string{externalName: "i-1"}, found("i-1", nil), true},
		"another id":                      {plain, map[string]string{externalName: "i-1"}, found("i-2", nil), false},
		"the name":                        {one, map[string]string{externalName: "a"}, found("i-1", here), true},
		"the id instead of the name":      {one, map[string]string{externalName: "i-1"}, found("i-1", here), false},
		"the identity":                    {one, map[string]string{identity: `{"name":"a","region":"here"}`}, found("i-1", here), true},
		"a part of the identity":          {one, map[string]string{identity: `{"name":"a"}`}, found("i-1", here), true},
		"another identity":                {one, map[string]string{identity: `{"name":"a","region":"there"}`}, found("i-1", here), false},
		"no identity":                     {one, map[string]string{identity: `{"name":"a"}`}, found("i-1", nil), false},
		"an identity of another schema":   {one, map[string]string{identity: `{"name":"a"}`}, found("i-1", map[string]string{"arn": "a"}), false},
		"the canonical identity":          {two, map[string]string{externalName: "name=a,region=here"}, found("i-1", here), true},
		"another canonical identity":      {two, map[string]string{externalName: "name=a,region=there"}, found("i-1", here), false},
		"the identity wins over the id":   {one, map[string]string{externalName: "i-1", identity: `{"name":"a"}`}, found("i-1", here), true},
		"the id wins over bad identities": {plain, map[string]string{externalName: "i-1", identity: `{"name":"b"}`}, found("i-1", nil), true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, observed := range []bool{true, false} {
				r := desired.CustomResource{Annotations: tc.annotations}
				if observed {
					r.AtProvider = map[string]any{"id": "i-1"}
				}
				spec, diags := desired.Read(tc.model, r)
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				if spec.Known.Observed != observed {
					t.Errorf("got observed: %t, want %t", spec.Known.Observed, observed)
				}
				if got := spec.Known.Recognize(tc.found); got != tc.want {
					t.Errorf("got %t", got)
				}
			}
		})
	}
}
