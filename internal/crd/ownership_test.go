package crd_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// fieldManager returns the API server's manager of the fields of a kind's objects.
func fieldManager(t *testing.T, r *model.Resource) managedfieldstest.TestFieldManager {
	t.Helper()
	raw, err := json.Marshal(definition(t, r).Spec.Versions[0].Schema.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	s := &spec.Schema{}
	if err := json.Unmarshal(raw, s); err != nil {
		t.Fatal(err)
	}
	s.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": r.Group, "version": r.Version, "kind": r.Kind}})
	converter, err := managedfields.NewTypeConverter(map[string]*spec.Schema{r.Kind: s}, false)
	if err != nil {
		t.Fatal(err)
	}
	return managedfieldstest.NewTestFieldManager(converter, kschema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind})
}

// A user applies an object by server-side apply, the controller writes fields that are not set, and
// the user sets them, too. With force, the user's values are the only ones.
func TestOwnershipOfWrittenFields(t *testing.T) {
	t.Parallel()
	chosen := func(ty cty.Type) *schema.Attribute {
		return &schema.Attribute{Type: ty, Optional: true, Computed: true}
	}
	item := &schema.NestedAttributes{Nesting: schema.NestingSingle, Attributes: map[string]*schema.Attribute{
		"zones": chosen(cty.Set(cty.String)), "labels": {Type: cty.Map(cty.String), Optional: true},
	}}
	block := &schema.Block{Attributes: map[string]*schema.Attribute{
		"name": {Type: cty.String, Optional: true}, "arns": chosen(cty.Set(cty.String)), "labels": chosen(cty.Map(cty.String)),
		"tags": chosen(cty.Map(cty.String)), "subnet_ids": {Type: cty.Set(cty.String), Optional: true},
		"own_set": {Type: cty.Set(cty.String), Optional: true}, "own_map": {Type: cty.Map(cty.String), Optional: true},
		"disk": {Optional: true, Nested: item}, "net": {Optional: true, Computed: true, Nested: item},
	}}
	yes := true
	r := configured(t, "aws", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"aws_role": {Type: "aws_role", Block: block},
	}}, config.Provider{Resources: map[string]config.Resource{"aws_role": {
		LateInitialize: &config.LateInitialize{Enabled: &yes}, DefaultTags: &config.DefaultTags{},
		References: map[string]config.Reference{"subnet_ids": {Targets: []config.Target{{Type: "aws_role"}}}},
	}}}).Resources["aws_role"]
	object := func(fields map[string]any) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"forProvider": fields}}}
		u.SetGroupVersionKind(kschema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind})
		u.SetName("x")
		return u
	}
	type m = map[string]any
	tests := map[string]struct {
		field        string
		written, set any
		want         any // the field in the end
	}{
		"set":               {field: "arns", written: []any{"made"}, set: []any{"x"}, want: []any{"x"}},
		"map":               {field: "labels", written: m{"made": "1"}, set: m{"x": "2"}, want: m{"x": "2"}},
		"set of references": {field: "subnetIds", written: []any{"made"}, set: []any{"x"}, want: []any{"x"}},
		"set inside a given field": {
			field: "disk", written: m{"zones": []any{"made"}}, set: m{"zones": []any{"x"}},
			want: m{"zones": []any{"x"}},
		},
		"map inside a written field": {
			field: "net", written: m{"zones": []any{"made"}, "labels": m{"made": "1"}}, set: m{"zones": []any{"x"}, "labels": m{"x": "2"}},
			want: m{"zones": []any{"x"}, "labels": m{"x": "2"}},
		},
		// Others that apply elements share what Landbridge never writes.
		"own set": {field: "ownSet", written: []any{"a"}, set: []any{"x"}, want: []any{"a", "x"}},
		"own map": {field: "ownMap", written: m{"a": "1"}, set: m{"x": "2"}, want: m{"a": "1", "x": "2"}},
		"tags":    {field: "tags", written: m{"a": "1"}, set: m{"x": "2"}, want: m{"a": "1", "x": "2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fieldManager(t, r)
			if err := f.Apply(object(m{"name": "x"}), "user", false); err != nil {
				t.Fatal(err)
			}
			if err := f.Update(object(m{"name": "x", test.field: test.written}), "landbridge"); err != nil {
				t.Fatal(err)
			}
			if err := f.Apply(object(m{"name": "x", test.field: test.set}), "user", true); err != nil {
				t.Fatal(err)
			}
			got, _, err := unstructured.NestedFieldNoCopy(f.Live().(*unstructured.Unstructured).Object, "spec", "forProvider", test.field)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// Values without a schema are merged by their keys, so late initialization writes no objects of
// them.
func TestLateInitializeDynamic(t *testing.T) {
	t.Parallel()
	block := &schema.Block{Attributes: map[string]*schema.Attribute{
		"any": {Type: cty.DynamicPseudoType, Optional: true, Computed: true},
	}}
	r := testResource(t, block)
	for name, test := range map[string]struct {
		value cty.Value
		want  bool
	}{
		"text":   {cty.StringVal("a"), true},
		"list":   {cty.TupleVal([]cty.Value{cty.EmptyObjectVal}), true}, // atomic
		"object": {cty.ObjectVal(map[string]cty.Value{"a": cty.True}), false},
		"map":    {cty.MapVal(map[string]cty.Value{"a": cty.True}), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := cty.ObjectVal(map[string]cty.Value{"any": test.value})
			got, changed := translate.LateInitialize(r, nil, nil, v)
			if changed != test.want {
				t.Errorf("changed: %v, forProvider %v", changed, got)
			}
		})
	}
}
