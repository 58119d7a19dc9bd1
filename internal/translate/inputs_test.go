package translate_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func keys(values map[string][]byte) translate.Secrets {
	return func(s translate.SecretKeySelector) ([]byte, error) {
		b, ok := values[s.Key]
		if !ok || s.Name != "inputs" {
			return nil, errors.New("no such key")
		}
		return b, nil
	}
}

// What spec can hold at all, it holds: reading it gives the same configuration again.
func TestForProviderLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		r := resource(t, b, schematest.Config(t, b))
		// Only what Config makes of a spec is a configuration.
		draft := translate.ForProvider(r, schematest.Value(t, b), "inputs")
		seed, diags := translate.Config(r, draft.ForProvider, nil, keys(draft.Secrets))
		if diags.HasErrors() {
			t.Skip(diags.String())
		}
		out := translate.ForProvider(r, seed.Value, "inputs")
		if len(out.Lost) > 0 {
			t.Fatalf("lost %v of %#v\nthrough %v", translate.FieldPaths(r, out.Lost), seed.Value, out.ForProvider)
		}
		spec, _ := throughKubernetes(t, out.ForProvider).(map[string]any)
		back, diags := translate.Config(r, spec, nil, keys(out.Secrets))
		if diags.HasErrors() {
			t.Fatalf("%s\nthrough %v", diags, spec)
		}
		if !back.Value.RawEquals(seed.Value) {
			t.Fatalf("got %#v\nwant %#v\nthrough %v", back.Value, seed.Value, spec)
		}
	})
}

func TestForProvider(t *testing.T) {
	t.Parallel()
	secret := func(ty cty.Type) *schema.Attribute {
		return &schema.Attribute{Type: ty, Optional: true, Sensitive: true}
	}
	b := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"name": {Type: cty.String, Required: true}, "huge": {Type: cty.Number, Optional: true},
			"vpc_id": {Type: cty.String, Computed: true}, "note": {Type: cty.String, Optional: true},
			"password": secret(cty.String), "port": secret(cty.Number), "keys": secret(cty.List(cty.String)),
			"token_wo": {Type: cty.String, Optional: true, WriteOnly: true},
		},
		Blocks: map[string]*schema.NestedBlock{
			"user": {Nesting: schema.NestingList, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"login": {Type: cty.String, Required: true}, "api_key": secret(cty.String),
			}}},
			"disk": {Nesting: schema.NestingSet, MaxItems: 1, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"luks_key": secret(cty.String),
			}}},
		},
	}
	r := resource(t, b, config.Resource{Omit: []string{"note"}})
	user := func(login string, key cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"login": cty.StringVal(login), "api_key": key})
	}
	v := with(b, map[string]cty.Value{
		"name": cty.StringVal("n"), "huge": cty.MustParseNumberVal("18446744073709551615"),
		"vpc_id": cty.StringVal("v"), "note": cty.StringVal("n"),
		"password": cty.StringVal("hunter2"), "port": cty.NumberIntVal(5432),
		"keys": cty.ListVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")}),
		"user": cty.ListVal([]cty.Value{user("a", cty.StringVal("ka")), user("b", cty.NullVal(cty.String)), user("c", cty.StringVal("kc"))}),
		"disk": cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"luks_key": cty.StringVal("l")})}),
	})
	got := translate.ForProvider(r, v, "inputs")
	ref := func(key string) map[string]any { return map[string]any{"name": "inputs", "key": key} }
	want := translate.Inputs{
		ForProvider: map[string]any{
			"name": "n", "huge": float64(18446744073709551615), "passwordSecretRef": ref("password"),
			"portSecretRef": ref("port"), "keysSecretRef": ref("keys"),
			"user": []any{
				map[string]any{"login": "a", "apiKeySecretRef": ref("user.0.api_key")},
				map[string]any{"login": "b"},
				map[string]any{"login": "c", "apiKeySecretRef": ref("user.2.api_key")},
			},
			"disk": map[string]any{"luksKeySecretRef": ref("disk.luks_key")},
		},
		Secrets: map[string][]byte{
			"password": []byte("hunter2"), "port": []byte("5432"), "keys": []byte(`["a","b"]`),
			"user.0.api_key": []byte("ka"), "user.2.api_key": []byte("kc"), "disk.luks_key": []byte("l"),
		},
	}
	var lost []string
	for _, p := range got.Lost {
		lost = append(lost, diagnostic.FormatPath(p))
	}
	got.Lost = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"huge", "note", "vpc_id"}, lost); diff != "" {
		t.Errorf("lost: -want, +got:\n%s", diff)
	}
}

func TestListConfig(t *testing.T) {
	t.Parallel()
	s := &schema.Provider{
		Config:    &schema.Block{},
		Resources: map[string]*schema.Resource{"test_thing": {Type: "test_thing", Block: &schema.Block{}}},
		ListResources: map[string]*schema.Block{
			"test_thing": {Attributes: map[string]*schema.Attribute{"vpc_id": {Type: cty.String, Optional: true}}},
		},
	}
	p, err := model.NewProvider("test", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	if p.ListResource("test_other") != nil {
		t.Error("a type that cannot be listed has a list")
	}
	l := p.ListResource("test_thing")
	v, diags := translate.ListConfig(l, map[string]any{"vpcId": "v"}, nil)
	if diags.HasErrors() || !v.RawEquals(cty.ObjectVal(map[string]cty.Value{"vpc_id": cty.StringVal("v")})) {
		t.Errorf("got %#v, %s", v, diags)
	}
	_, diags = translate.ListConfig(l, map[string]any{"vpc": "v"}, nil)
	if got := diags.Err().Error(); len(diags) != 1 || l.UserPath(diags[0].Attribute) != "test_thing.vpc" {
		t.Errorf("got %s", got)
	}
}
