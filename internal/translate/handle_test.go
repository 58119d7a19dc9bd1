package translate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// identified returns the type of a bucket with an identity, unless it is nil.
func identified(t *testing.T, identity map[string]*schema.IdentityAttribute, c config.Resource) *model.Resource {
	t.Helper()
	r := &schema.Resource{Block: bucket()}
	if identity != nil {
		r.Identity = &schema.Identity{Attributes: identity}
	}
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"test_bucket": r}},
		config.Provider{Resources: map[string]config.Resource{"test_bucket": c}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Resources["test_bucket"]
}

func TestMappedIdentity(t *testing.T) {
	t.Parallel()
	text := &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true}
	r := identified(t, map[string]*schema.IdentityAttribute{"title": text, "zone": text, "size": text, "kind": text},
		config.Resource{
			Identity: map[string]config.IdentityValue{
				"title": "name", "zone": "site.zone", "size": "size", "kind": "Bucket",
			},
		})
	object := func(change map[string]cty.Value) cty.Value {
		values := r.Schema.Block.EmptyValue().AsValueMap()
		for name, v := range change {
			values[name] = v
		}
		return cty.ObjectVal(values)
	}
	site := func(zone cty.Value) cty.Value {
		return cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"zone": zone})})
	}
	for name, test := range map[string]struct {
		object cty.Value
		want   map[string]string
	}{
		"nothing":   {object(nil), map[string]string{"kind": "Bucket"}},
		"no object": {cty.NullVal(r.Schema.ImpliedType()), map[string]string{"kind": "Bucket"}},
		"everything": {object(map[string]cty.Value{"name": cty.StringVal("a"), "site": site(cty.StringVal("z")), "size": cty.NumberIntVal(3)}),
			map[string]string{"title": "a", "zone": "z", "size": "3", "kind": "Bucket"}},
		"unknown": {object(map[string]cty.Value{"name": cty.UnknownVal(cty.String), "site": cty.UnknownVal(site(cty.StringVal("")).Type())}),
			map[string]string{"kind": "Bucket"}},
		"an unknown part": {object(map[string]cty.Value{"site": site(cty.UnknownVal(cty.String))}), map[string]string{"kind": "Bucket"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[string]string{}
			for name, v := range translate.MappedIdentity(r, test.object) {
				got[name] = v.AsString()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestImportBeforehand(t *testing.T) {
	t.Parallel()
	const id = "{{ .parameters.region }}/{{ .externalName }}"
	named := func(e config.ExternalName) config.Resource { return config.Resource{ExternalName: &e} }
	here := map[string]any{"region": "here"}
	for name, test := range map[string]struct {
		config       config.Resource
		externalName string
		forProvider  map[string]any
		want, object string
	}{
		"nothing configured":       {config.Resource{}, "a", here, "", ""},
		"an argument alone":        {named(config.ExternalName{Argument: "name"}), "a", here, "", ""},
		"an import id alone":       {named(config.ExternalName{ImportID: id}), "a", here, "", ""},
		"the name of the resource": {named(config.ExternalName{Argument: "name", ImportID: id}), "", here, "here/logs", "logs"},
		"the annotation":           {named(config.ExternalName{Argument: "name", ImportID: id}), "a", here, "here/a", "a"},
		"the default": {
			named(config.ExternalName{Argument: "name", Default: "x-{{ .metadata.name }}", ImportID: id}), "", here,
			"here/x-logs", "x-logs",
		},
		"a part that is not given": {named(config.ExternalName{Argument: "name", ImportID: id}), "a", nil, "", ""},
		"an attribute": {
			named(config.ExternalName{Attribute: "name", ImportID: id}), "i-1",
			map[string]any{"region": "here", "name": "a"}, "here/a", "a",
		},
		"an attribute not given":    {named(config.ExternalName{Attribute: "port", ImportID: id}), "i-1", here, "", ""},
		"an attribute not settable": {named(config.ExternalName{Attribute: "id", ImportID: id}), "i-1", here, "", ""},
		"a function": {config.Resource{
			ExternalName: &config.ExternalName{Argument: "name"},
			Functions:    &config.Functions{ImportID: func(s config.Subject) (string, error) { return "f:" + s.ExternalName, nil }},
		}, "a", here, "f:a", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := identified(t, nil, test.config)
			got := translate.ImportBeforehand(r, translate.Subject{
				Namespace: "team", Name: "logs", ExternalName: test.externalName, ForProvider: test.forProvider,
			})
			if got.ID != test.want {
				t.Fatalf("got %q, want %q", got.ID, test.want)
			}
			if test.want == "" {
				return
			}
			for name, want := range map[string]bool{test.object: true, "another": false} {
				values := r.Schema.Block.EmptyValue().AsValueMap()
				values["name"] = cty.StringVal(name)
				if got.Names(cty.ObjectVal(values)) != want {
					t.Errorf("%s: got %t", name, !want)
				}
			}
		})
	}
}
