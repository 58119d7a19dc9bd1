package managed_test

import (
	"context"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// kind is that of test_thing, whose identity has version 2 and the named attributes, of which those
// that end in ! are required for import; none is no identity.
func kind(t *testing.T, attributes ...string) *managed.Kind {
	t.Helper()
	var identity *schema.Identity
	for _, name := range attributes {
		if identity == nil {
			identity = &schema.Identity{Version: 2, Attributes: map[string]*schema.IdentityAttribute{}}
		}
		a := &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
		if n := len(name) - 1; name[n] == '!' {
			name, a = name[:n], &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true}
		}
		identity.Attributes[name] = a
	}
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"test_thing": {Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}}}, Identity: identity},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return &managed.Kind{Model: p.Resources["test_thing"]}
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

func byIdentity(values map[string]string) terraform.ImportTarget {
	return terraform.ImportTarget{Identity: object(values)}
}

func byID(id string) terraform.ImportTarget {
	return terraform.ImportTarget{ID: id, Identity: cty.NilVal}
}

func TestRecognize(t *testing.T) {
	plain, one := kind(t), kind(t, "name!", "region")
	found := func(id string, identity map[string]string) instance.Instance {
		in := instance.Instance{State: object(map[string]string{"id": id}), Identity: cty.NilVal}
		if identity != nil {
			in.Identity = object(identity)
		}
		return in
	}
	here := map[string]string{"name": "a", "region": "here"}
	for name, tc := range map[string]struct {
		kind  *managed.Kind
		known terraform.ImportTarget
		found instance.Instance
		want  bool
	}{
		"the id":                           {plain, byID("i-1"), found("i-1", nil), true},
		"another id":                       {plain, byID("i-1"), found("i-2", nil), false},
		"the name":                         {one, byID("a"), found("i-1", here), true},
		"the id, where there is a name":    {one, byID("i-1"), found("i-1", here), false},
		"the identity":                     {one, byIdentity(here), found("i-1", here), true},
		"the identity, as far as it goes":  {one, byIdentity(map[string]string{"name": "a", "region": ""}), found("i-1", here), true},
		"another identity":                 {one, byIdentity(map[string]string{"name": "a", "region": "there"}), found("i-1", here), false},
		"no identity":                      {one, byIdentity(here), found("i-1", nil), false},
		"an identity of an earlier schema": {one, byIdentity(map[string]string{"arn": "a"}), found("i-1", here), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := managed.Recognize(tc.kind, &tc.known, tc.known.ID)(tc.found); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestSpellImport(t *testing.T) {
	k := kind(t, "cluster_id!", "name!", "region")
	for want, target := range map[string]terraform.ImportTarget{
		`{"id":"<a>&\"b\""}`:                          byID(`<a>&"b"`),
		`{"identity":{"clusterId":"c","name":"<n>"}}`: byIdentity(map[string]string{"cluster_id": "c", "name": "<n>", "region": ""}),
		`{"identity":{"clusterId":"c","name":"","region":"r"}}`: {Identity: cty.ObjectVal(map[string]cty.Value{
			"cluster_id": cty.StringVal("c"), "name": cty.StringVal(""), "region": cty.StringVal("r")})},
	} {
		if got := managed.SpellImport(k)(target); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestKnownTarget(t *testing.T) {
	plain, one, two := kind(t), kind(t, "name!", "region"), kind(t, "cluster_id!", "name!", "region")
	const externalName, identity = "crossplane.io/external-name", "landbridge.io/identity"
	for name, tc := range map[string]struct {
		kind        *managed.Kind
		annotations map[string]string
		want        *terraform.ImportTarget
	}{
		"nothing":                       {kind: one},
		"an id":                         {plain, map[string]string{externalName: "i-1"}, ptr(byID("i-1"))},
		"an identity":                   {one, map[string]string{externalName: "a", identity: `{"name":"a"}`}, ptr(byIdentity(map[string]string{"name": "a", "region": ""}))},
		"an identity of another schema": {one, map[string]string{externalName: "a", identity: `{"arn":"a"}`}, ptr(byID("a"))},
		"a name":                        {one, map[string]string{externalName: "name=a"}, ptr(byID("name=a"))},
		"an identity in canonical form": {two, map[string]string{externalName: "cluster_id=c,name=a"}, ptr(byIdentity(map[string]string{"cluster_id": "c", "name": "a", "region": ""}))},
		"an id of several parts":        {two, map[string]string{externalName: "c/a"}, ptr(byID("c/a"))},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{}}
			u.SetAnnotations(tc.annotations)
			got, diags := managed.KnownTarget(tc.kind, managed.ResourceOf(u))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			same := cmp.Comparer(func(a, b cty.Value) bool {
				if a == cty.NilVal || b == cty.NilVal {
					return a == cty.NilVal && b == cty.NilVal
				}
				return a.RawEquals(b)
			})
			if diff := cmp.Diff(tc.want, got, same); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
		})
	}
}

// unconfigured has no provider configuration.
type unconfigured struct{}

func (unconfigured) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Handle[terraform.Executor]{}
}

// What its annotations say of a resource's object holds when its status is lost, too.
func TestKnownWithoutStatus(t *testing.T) {
	k := kind(t)
	k.ProviderConfigs = unconfigured{}
	for _, seen := range []bool{true, false} {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetAnnotations(map[string]string{"crossplane.io/external-name": "i-1"})
		if seen {
			u.Object["status"] = map[string]any{"atProvider": map[string]any{"id": "i-1"}}
		}
		req, diags := managed.Subject(t.Context(), k, managed.ResourceOf(u))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if req.Known == nil || req.Known.Observed != seen {
			t.Fatalf("known object: %+v, want observed: %t", req.Known, seen)
		}
		for id, want := range map[string]bool{"i-1": true, "i-2": false} {
			in := instance.Instance{State: object(map[string]string{"id": id}), Identity: cty.NilVal}
			if req.Known.Recognize == nil || req.Known.Recognize(in) != want {
				t.Errorf("with a status: %t, %s is not told from another object", seen, id)
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestIdentityHistory(t *testing.T) {
	until := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	former := []instance.FormerIdentity{
		{Identity: []byte(`{"arn":"a","number":12345678901}`), Version: 1, Until: until},
		{Identity: []byte(`{"cluster_id":"c","name":null}`), Version: 2, Until: until},
	}
	want := []any{
		map[string]any{"identity": map[string]any{"arn": "a", "number": int64(12345678901)}, "until": "2026-01-02T02:04:05Z"},
		map[string]any{"identity": map[string]any{"clusterId": "c"}, "until": "2026-01-02T02:04:05Z"},
	}
	if diff := cmp.Diff(want, managed.IdentityHistory(kind(t, "cluster_id!", "name"), former)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if got := managed.IdentityHistory(kind(t), nil); got != nil {
		t.Errorf("a history of nothing: %v", got)
	}
}
