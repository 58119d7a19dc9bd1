package evolution_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/evolutiontest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

type m = map[string]any

type fatal interface {
	Helper()
	Fatal(...any)
}

// versions returns a definition with a version for each schema, the oldest first, and what converts
// between them.
func versions(t fatal, c config.Resource, schemas ...*schema.Block) (*apiextensionsv1.CustomResourceDefinition, *evolution.Converter) {
	t.Helper()
	names := []string{"v1alpha1", "v1beta1", "v1"}
	var out *apiextensionsv1.CustomResourceDefinition
	former := map[string]map[string][]string{}
	for i, b := range schemas {
		of := config.Provider{}
		if i == len(schemas)-1 {
			of.Resources = map[string]config.Resource{"cloud_thing": c}
		}
		p, err := model.NewProvider("cloud", &schema.Provider{
			Protocol: 6, Config: &schema.Block{},
			Resources: map[string]*schema.Resource{"cloud_thing": {Type: "cloud_thing", Block: b}},
		}, of)
		if err != nil {
			t.Fatal(err)
		}
		r := p.Resources["cloud_thing"]
		r.Version = names[i]
		d, err := crd.Resource(r)
		if err != nil {
			t.Fatal(err)
		}
		k, err := evolution.FromResource(r)
		if err != nil {
			t.Fatal(err)
		}
		if f := k.FormerNames(); len(f) > 0 {
			former[r.Version] = f
		}
		if out != nil {
			d.Spec.Versions = append(out.Spec.Versions, d.Spec.Versions[0])
		}
		out = d
	}
	raw, err := json.Marshal(former)
	if err != nil {
		t.Fatal(err)
	}
	out.Annotations[evolution.AnnotationFormerNames] = string(raw)
	converter, err := evolution.NewConverter(out)
	if err != nil {
		t.Fatal(err)
	}
	return out, converter
}

// through returns an object as apimachinery has it.
func through(t fatal, v any) m {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out m
	if err := utiljson.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func convert(t fatal, c *evolution.Converter, object m, to string) m {
	t.Helper()
	before := through(t, object)
	out, err := c.Convert(object, to)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, through(t, object)); diff != "" {
		t.Fatal("the object was changed: " + diff)
	}
	return through(t, out)
}

func TestConvert(t *testing.T) {
	t.Parallel()
	type attrs = map[string]*schema.Attribute
	a := func(types map[string]cty.Type) *schema.Block {
		out := attrs{}
		for name, typ := range types {
			out[name] = &schema.Attribute{Type: typ, Optional: true}
		}
		return attributes(out)
	}
	of := func(typ cty.Type) *schema.Block { return a(map[string]cty.Type{"max_age": typ}) }
	rules := func(most int64, types map[string]cty.Type) *schema.Block {
		return blocks(&schema.NestedBlock{Nesting: schema.NestingList, MaxItems: most, Block: a(types)})
	}
	days := map[string]cty.Type{"days": cty.Number}
	both := map[string]cty.Type{"days": cty.Number, "hours": cty.Number}
	tests := map[string]struct {
		old, new *schema.Block
		config   config.Resource
		in, want string // spec.forProvider
		// others are parts of spec, before and after.
		others, wantOthers string
		// edit is what a user makes of want, back what that is in the old version; unless it is
		// edited, in comes back.
		edit, back string
		remembers  bool
	}{
		"bool to string": {
			old: of(cty.Bool), new: of(cty.String), in: `{"maxAge":true}`, want: `{"maxAge":"true"}`,
			edit: `{"maxAge":"false"}`, back: `{"maxAge":false}`,
		},
		"string to bool": {old: of(cty.String), new: of(cty.Bool), in: `{"maxAge":"true"}`, want: `{"maxAge":true}`},
		"string that is no bool": {
			old: of(cty.String), new: of(cty.Bool), in: `{"maxAge":"yes"}`, want: `{}`, remembers: true,
			edit: `{"maxAge":true}`, back: `{"maxAge":"true"}`,
		},
		"number to string": {old: of(cty.Number), new: of(cty.String), in: `{"maxAge":1.5}`, want: `{"maxAge":"1.5"}`},
		"string to number": {old: of(cty.String), new: of(cty.Number), in: `{"maxAge":"15"}`, want: `{"maxAge":15}`},
		"another spelling": {
			old: of(cty.String), new: of(cty.Number), in: `{"maxAge":"015"}`, want: `{"maxAge":15}`, remembers: true,
			edit: `{"maxAge":16}`, back: `{"maxAge":"16"}`,
		},
		"digits that do not fit": {
			old: of(cty.String), new: of(cty.Number), in: `{"maxAge":"123456789012345678901"}`,
			want: `{"maxAge":123456789012345680000}`, remembers: true,
		},
		"bool to number": {old: of(cty.Bool), new: of(cty.Number), in: `{"maxAge":true}`, want: `{}`, remembers: true},
		"scalar to list": {
			old: of(cty.Bool), new: of(cty.List(cty.String)), in: `{"maxAge":true}`, want: `{"maxAge":["true"]}`,
			edit: `{"maxAge":["true","false"]}`, back: `{}`,
		},
		"removed": {
			old: a(both), new: a(days), in: `{"days":1,"hours":2}`, want: `{"days":1}`, remembers: true,
			edit: `{"days":3}`, back: `{"days":3,"hours":2}`,
		},
		"added": {
			old: a(days), new: a(both), in: `{"days":1}`, want: `{"days":1}`, edit: `{"days":1,"hours":2}`,
			back: `{"days":1}`,
		},
		"list to object": {
			old: rules(0, days), new: rules(1, days), in: `{"maxRule":[{"days":1}]}`, want: `{"maxRule":{"days":1}}`,
			edit: `{"maxRule":{"days":2}}`, back: `{"maxRule":[{"days":2}]}`,
		},
		"list of two to object": {
			old: rules(0, days), new: rules(1, days), in: `{"maxRule":[{"days":1},{"days":2}]}`, want: `{}`,
			remembers: true,
		},
		"empty list to object": {old: rules(0, days), new: rules(1, days), in: `{"maxRule":[]}`, want: `{}`, remembers: true},
		"object to list":       {old: rules(1, days), new: rules(0, days), in: `{"maxRule":{"days":1}}`, want: `{"maxRule":[{"days":1}]}`},
		"removed in a list": {
			old: rules(0, both), new: rules(0, days),
			in:   `{"maxRule":[{"days":1,"hours":2},{"days":3},{"days":3,"hours":4}]}`,
			want: `{"maxRule":[{"days":1},{"days":3},{"days":3}]}`, remembers: true,
			edit: `{"maxRule":[{"days":9},{"days":1},{"days":5}]}`,
			back: `{"maxRule":[{"days":9},{"days":1,"hours":2},{"days":5}]}`,
		},
		"list to set": {
			old: of(cty.List(cty.String)), new: of(cty.Set(cty.String)), in: `{"maxAge":["a","b","a"]}`,
			want: `{"maxAge":["a","b"]}`, remembers: true,
		},
		"anything that fits": {
			old: of(cty.DynamicPseudoType), new: of(cty.Map(cty.Number)), in: `{"maxAge":{"a":1}}`,
			want: `{"maxAge":{"a":1}}`,
		},
		"anything that fits not": {
			old: of(cty.DynamicPseudoType), new: of(cty.Map(cty.Number)), in: `{"maxAge":{"a":"b"}}`, want: `{}`,
			remembers: true,
		},
		"entries of maps": {
			old: of(cty.Map(cty.String)), new: of(cty.Map(cty.Bool)), in: `{"maxAge":{"a":"true","b":"x"}}`,
			want: `{"maxAge":{"a":true}}`, remembers: true, edit: `{"maxAge":{"a":false,"c":true}}`,
			back: `{"maxAge":{"a":"false","b":"x","c":"true"}}`,
		},
		"a reference to a Secret": {
			old: attributes(attrs{"a": {Type: cty.String, Optional: true, Sensitive: true}}),
			new: attributes(attrs{"a": {Type: cty.String, Optional: true}}),
			in:  `{"aSecretRef":{"name":"n","key":"k"}}`, want: `{}`, remembers: true,
		},
		"renamed by its provider": {
			old: of(cty.Bool), new: a(map[string]cty.Type{"age": cty.String}),
			config: config.Resource{Fields: map[string]config.Field{"age": {FormerNames: []string{"maxAge"}}}},
			in:     `{"maxAge":true}`, want: `{"age":"true"}`, edit: `{"age":"no"}`, back: `{}`,
		},
		"renamed by configuration": {
			old: rules(0, days), new: rules(0, days),
			config: config.Resource{
				Fields: map[string]config.Field{"max_rule": {Name: "rule"}, "max_rule.days": {Name: "age"}},
			}, in: `{"maxRule":[{"days":1}]}`, want: `{"rule":[{"age":1}]}`,
		},
		"paths": {
			old: rules(0, days), new: rules(1, days), config: config.Resource{Fields: map[string]config.Field{"max_rule.days": {Name: "age"}}},
			in: `{}`, want: `{}`,
			others:     `{"lifecycle":{"ignoreChanges":["maxRule[0].days","maxRule[1].days","*"]},"references":[{"to":"forProvider.maxRule[0].days","from":{"kind":"Thing","name":"a"}}]}`,
			wantOthers: `{"lifecycle":{"ignoreChanges":["maxRule.age","maxRule[1].days","*"]},"references":[{"to":"forProvider.maxRule.age","from":{"kind":"Thing","name":"a"}}]}`,
		},
		"paths to what became a list": {
			old: of(cty.String), new: of(cty.List(cty.String)), in: `{}`, want: `{}`,
			others:     `{"lifecycle":{"ignoreChanges":["maxAge"]},"references":[{"to":"forProvider.maxAge"}]}`,
			wantOthers: `{"lifecycle":{"ignoreChanges":["maxAge"]},"references":[{"to":"forProvider.maxAge[0]"}]}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, c := versions(t, test.config, test.old, test.new)
			object := func(version, forProvider, others string) m {
				spec := m{}
				if others != "" {
					spec = through(t, json.RawMessage(others))
				}
				spec["forProvider"] = through(t, json.RawMessage(forProvider))
				return m{"apiVersion": "cloud.landbridge.io/" + version, "kind": "Thing", "metadata": m{"name": "a"}, "spec": spec}
			}
			in, want := object("v1alpha1", test.in, test.others), object("v1beta1", test.want, test.wantOthers)
			got := convert(t, c, in, "v1beta1")
			annotations, _ := got["metadata"].(m)["annotations"].(m)
			if (len(annotations) > 0) != test.remembers {
				t.Errorf("annotations %v", annotations)
			}
			if diff := cmp.Diff(through(t, want)["spec"], got["spec"]); diff != "" {
				t.Fatalf("-want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(through(t, in), convert(t, c, got, "v1alpha1")); diff != "" {
				t.Errorf("back: -want, +got:\n%s", diff)
			}
			if test.edit == "" {
				return
			}
			got["spec"].(m)["forProvider"] = through(t, json.RawMessage(test.edit))
			back := convert(t, c, got, "v1alpha1")
			if diff := cmp.Diff(through(t, object("v1alpha1", test.back, ""))["spec"], back["spec"]); diff != "" {
				t.Errorf("edited, and back: -want, +got:\n%s", diff)
			}
			// And what was edited is not lost by having been shown in the old version.
			if diff := cmp.Diff(got["spec"], convert(t, c, back, "v1beta1")["spec"]); diff != "" {
				t.Errorf("edited, back, and forth: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	b := attributes(map[string]*schema.Attribute{"a": {Type: cty.String, Optional: true}})
	d, c := versions(t, config.Resource{}, b, attributes(nil))
	if diff := cmp.Diff([]string{"v1alpha1", "v1beta1"}, c.Versions()); diff != "" {
		t.Error(diff)
	}
	object := m{"apiVersion": "cloud.landbridge.io/v1alpha1", "spec": m{"forProvider": m{"a": strings.Repeat("x", 300_000)}}}
	if _, err := c.Convert(object, "v1beta1"); err == nil || !strings.Contains(err.Error(), "too large for an annotation") {
		t.Error(err)
	}
	if _, err := c.Convert(object, "v7"); err == nil || err.Error() != `things.cloud.landbridge.io: there is no version "v7"` {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"x": "invalid character",
		`{"v1beta1":{"spec.forProvider.b":["a"]}}`: "the version v1beta1 has no field spec.forProvider.b",
	} {
		d.Annotations[evolution.AnnotationFormerNames] = text
		if _, err := evolution.NewConverter(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Whatever the versions are, an object comes back as it was, has the types of the version that it
// is shown in, and never holds what that version says is secret.
func TestConversionsLoseNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		schemas := []*schema.Block{b, schematest.Mutate(t, b)}
		if rapid.Bool().Draw(t, "unrelated") {
			schemas[1] = schematest.Block(t)
		}
		schemas = append(schemas, schematest.Mutate(t, schemas[1]))
		d, c := versions(t, config.Resource{}, schemas...)
		var kinds []*evolution.Kind
		for _, v := range d.Spec.Versions {
			k, err := evolution.FromDefinition(d, v.Name)
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, k)
		}
		names := []string{"v1alpha1", "v1beta1", "v1"}
		at := rapid.IntRange(0, 2).Draw(t, "at")
		spec := m{"forProvider": evolutiontest.Value(t, kinds[at].Parts[evolution.ForProvider])}
		if rapid.Bool().Draw(t, "init") {
			spec["initProvider"] = evolutiontest.Value(t, kinds[at].Parts[evolution.ForProvider])
		}
		object := through(t, m{
			"apiVersion": "cloud.landbridge.io/" + names[at], "kind": "Thing",
			"metadata": m{"name": "a", "annotations": m{"mine": "x"}}, "spec": spec,
			"status": m{"atProvider": evolutiontest.Value(t, kinds[at].Parts[evolution.AtProvider]), "state": "Full"},
		})
		shown, by := object, []int{at}
		for range rapid.IntRange(1, 4).Draw(t, "conversions") {
			to := rapid.IntRange(0, 2).Draw(t, "to")
			shown = convert(t, c, shown, names[to])
			by = append(by, to)
			for _, problem := range typeErrors(t, d, names[to], shown) {
				t.Fatalf("%s: %s\n%v", names[to], problem, shown["spec"])
			}
		}
		shown = convert(t, c, shown, names[at])
		by = append(by, at)
		for _, from := range kinds {
			for _, to := range kinds {
				for _, change := range evolution.CompareKind(from, to) {
					if change.Change == evolution.BecameSensitive {
						return // values are not kept
					}
				}
			}
		}
		delete(shown, "status")
		delete(object, "status")
		if diff := cmp.Diff(object, shown); diff != "" {
			t.Fatalf("by %v: -before, +after:\n%s", by, diff)
		}
	})
}

// typeErrors returns where spec does not have the types of a version.
func typeErrors(t fatal, d *apiextensionsv1.CustomResourceDefinition, version string, object m) []string {
	t.Helper()
	i := slices.IndexFunc(d.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	in := &apiextensions.CustomResourceValidation{}
	if err :=
		apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(d.Spec.Versions[i].Schema,
			in, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(in.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range validation.ValidateCustomResource(nil, object, validator) {
		if strings.Contains(e.Error(), "must be of type") {
			out = append(out, e.Error())
		}
	}
	return out
}

func FuzzConvert(f *testing.F) {
	for _, seed := range []string{
		`{"spec":{"forProvider":{"name":"x","size":1.5,"tags":{"a":null},"groups":["b","a"],"unknown":1}}}`,
		`{"spec":{"forProvider":{"singletonList":{"label":"a"},"listBlock":[{"maxAgeDays":"7","deep":{"label":"x"}}]}}}`,
		`{"metadata":{"annotations":{"conversion.landbridge.io/v1beta1":"{\"in\":\"v1alpha1\",\"parts\":{\"spec.forProvider\":{\"f\":{\"size\":{\"v\":\"1\"}}}}}"}},"spec":{"forProvider":{}}}`,
		`{"spec":[],"status":{"atProvider":[]}}`,
	} {
		f.Add([]byte(seed))
	}
	old := schematest.Everything().Resources["everything_thing"].Block
	new := schematest.Everything().Resources["everything_thing"].Block
	for name, typ := range map[string]cty.Type{
		"size": cty.String, "enabled": cty.String, "zones": cty.Set(cty.String), "tags": cty.Map(cty.Bool),
		"vpc_id": cty.Number, "anything": cty.List(cty.String),
	} {
		new.Attributes[name].Type = typ
	}
	delete(new.Attributes, "endpoint")
	new.Blocks["list_block"].MaxItems, new.Blocks["singleton_list"].MaxItems = 1, 0
	delete(new.Blocks["set_block"].Block.Attributes, "label")
	_, c := versions(f, config.Resource{}, old, new)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var object m
		if utiljson.Unmarshal(raw, &object) != nil || object == nil {
			return
		}
		if spec, ok := object["spec"].(m); ok { // paths that lead nowhere are not told from each other
			delete(spec, "references")
			delete(spec, "lifecycle")
		}
		delete(object, "status")
		object["apiVersion"] = "cloud.landbridge.io/v1alpha1"
		if _, ok := object["metadata"].(m); !ok {
			object["metadata"] = m{}
		}
		out, err := c.Convert(object, "v1beta1")
		if err != nil {
			return
		}
		if metadata, ok := object["metadata"].(m); ok {
			if a, ok := metadata["annotations"].(m); ok {
				if _, own := a[evolution.AnnotationPrefix+"v1alpha1"]; own || a[evolution.AnnotationPrefix+"v1beta1"] != nil {
					return // fields of neither version are not kept
				}
			}
		}
		back, err := c.Convert(through(t, out), "v1alpha1")
		if err != nil {
			return
		}
		if diff := cmp.Diff(through(t, object), through(t, back)); diff != "" {
			t.Fatalf("-before, +after:\n%s", diff)
		}
	})
}
