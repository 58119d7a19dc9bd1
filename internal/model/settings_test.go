package model_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// configurable returns a resource type of which everything can be configured.
func configurable() *schema.Provider {
	str := func() *schema.Attribute { return &schema.Attribute{Type: cty.String, Optional: true} }
	return &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"cloud_thing": {
		Type: "cloud_thing", Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{
				"id":     {Type: cty.String, Computed: true},
				"name":   {Type: cty.String, Required: true},
				"region": str(), "policy": str(), "vpc_id": str(),
				"size":     {Type: cty.Number, Optional: true, Computed: true},
				"enabled":  {Type: cty.Bool, Optional: true},
				"token":    {Type: cty.String, Optional: true, Sensitive: true},
				"tags":     {Type: cty.Map(cty.String), Optional: true},
				"endpoint": {Type: cty.Object(map[string]cty.Type{"host_name": cty.String}), Optional: true},
			},
			Blocks: map[string]*schema.NestedBlock{"rule": {Nesting: schema.NestingList, Block: &schema.Block{
				Attributes: map[string]*schema.Attribute{"max_age": {Type: cty.Number, Optional: true}, "kind": str()},
			}}},
		},
	}}}
}

func TestFieldsAreConfigured(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("cloud", configurable(), config.Provider{Resources: map[string]config.Resource{"cloud_thing": {
		Omit: []string{"endpoint.host_name"},
		Fields: map[string]config.Field{
			"name":         {Name: "title", Description: "What it is called."},
			"region":       {Name: "name"},
			"policy":       {Type: config.FieldJSON},
			"vpc_id":       {Sensitive: true},
			"size":         {Type: config.FieldString},
			"enabled":      {Value: "true"},
			"rule":         {Name: "policies", Description: "What holds."},
			"rule.max_age": {Name: "maximumAge", Type: config.FieldInteger},
		},
		Add: map[string]config.AddedField{"owner": {Required: true}, "zones": {Type: config.FieldList}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	r := p.Resources["cloud_thing"]
	var got []string
	show := func(prefix string, f *model.Field) {
		input, seen := "-", "-"
		if f.Input {
			input = f.InputName()
		}
		if f.Observed {
			seen = f.JSONName
		}
		got = append(got, fmt.Sprintf("%s%s: %s %s %s %s", prefix, f.Name, input, seen, f.Type.Presented(), f.Description))
	}
	for _, f := range r.Root().Object.All {
		show("", f)
	}
	for _, f := range r.Root().Object.ByTerraform("rule").Type.Element.Object.All {
		show("rule.", f)
	}
	show("endpoint.", r.Root().Object.ByTerraform("endpoint").Type.Object.All[0])
	for _, f := range r.Root().Object.Added {
		show("+", f)
	}
	want := []string{
		"enabled: - enabled bool ",
		"endpoint: endpoint endpoint object ",
		"id: - id string ",
		"name: title title string What it is called.",
		"policy: policy policy json ",
		"region: name name string ",
		"rule: policies policies list What holds.",
		"size: size size string ",
		"tags: tags tags map ",
		"token: tokenSecretRef - string ",
		"vpc_id: vpcIdSecretRef - string ",
		"rule.kind: kind kind string ",
		"rule.max_age: maximumAge maximumAge integer ",
		"endpoint.host_name: - - string ",
		"+owner: owner - string ",
		"+zones: zones - list ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	path := cty.GetAttrPath("rule").IndexInt(0).GetAttr("max_age")
	if got, want := r.UserPath(path), "spec.forProvider.policies[0].maximumAge"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if back, err := r.ParseFieldPath(r.FieldPath(path)); err != nil || !back.Equals(path) {
		t.Errorf("got %v, %v", back, err)
	}
}

func TestSettingsErrors(t *testing.T) {
	t.Parallel()
	field := func(path string, f config.Field) config.Resource {
		return config.Resource{Fields: map[string]config.Field{path: f}}
	}
	external := func(e config.ExternalName) config.Resource { return config.Resource{ExternalName: &e} }
	for name, test := range map[string]struct {
		config config.Resource
		want   string
	}{
		"no such field": {field("rule.nothing", config.Field{Name: "x"}), "fields.rule.nothing: there is no rule.nothing"},
		"no name": {
			field("name", config.Field{Name: "Foo"}),
			`fields.name.name: "Foo" is not a valid field name: it must be in camelCase`,
		},
		"name is another's": {field("name", config.Field{Name: "vpcId"}), "fields.name.name: vpcId is the name of vpc_id"},
		"name inside is another's": {
			field("rule.max_age", config.Field{Name: "kind"}),
			"fields.rule.max_age.name: kind is the name of rule.kind",
		},
		"two of one name": {
			config.Resource{Fields: map[string]config.Field{"name": {Name: "x"}, "size": {Name: "x"}}},
			"fields.size.name: name and size would both be x",
		},
		"no such type": {
			field("name", config.Field{Type: "date"}),
			`fields.name.type: name is a string, which cannot be presented as "date"`,
		},
		"type that is none": {
			field("tags", config.Field{Type: config.FieldString}),
			`fields.tags.type: tags is a map, which cannot be presented as "string"`,
		},
		"type of a block": {
			field("rule", config.Field{Type: config.FieldJSON}),
			`fields.rule.type: rule is a list, which cannot be presented as "json"`,
		},
		"type that does not fit": {
			field("size", config.Field{Type: config.FieldBoolean}),
			`fields.size.type: size is a number, which cannot be presented as "boolean"`,
		},
		"omitted": {
			config.Resource{Omit: []string{"size"}, Fields: map[string]config.Field{"size": {Name: "x"}}},
			"fields.size: size is omitted",
		},
		"sensitive block": {
			field("rule", config.Field{Sensitive: true}),
			"fields.rule.sensitive: rule is not an attribute: only attributes can be sensitive",
		},
		"value inside": {
			field("rule.kind", config.Field{Value: "x"}),
			"fields.rule.kind.value: there is no top-level attribute rule.kind",
		},
		"value of the provider's": {field("id", config.Field{Value: "x"}), "fields.id.value: id is set by the provider"},
		"value that is secret":    {field("token", config.Field{Value: "x"}), "fields.token.value: token is sensitive"},
		"value of a map": {
			field("tags", config.Field{Value: "x"}),
			"fields.tags.value: tags is neither a string, nor a number, nor a boolean",
		},
		"value of nothing": {
			field("name", config.Field{Value: "{{ .parameters.nothing }}"}),
			`fields.name.value: "{{ .parameters.nothing }}": there is no nothing`,
		},
		"value of a secret": {
			field("name", config.Field{Value: "{{ .parameters.token }}"}),
			`fields.name.value: "{{ .parameters.token }}": token is sensitive`,
		},
		"value of itself": {
			field("name", config.Field{Value: "{{ .parameters.name }}"}),
			`fields.name.value: "{{ .parameters.name }}": name is not in spec.forProvider`,
		},
		"value of a list": {
			field("name", config.Field{Value: "{{ .parameters.rule }}"}),
			`fields.name.value: "{{ .parameters.rule }}": rule is neither a string, nor a number, nor a boolean`,
		},
		"added without a name": {
			config.Resource{Add: map[string]config.AddedField{"Owner": {}}},
			`add.Owner: "Owner" is not a valid field name: it must be in camelCase`,
		},
		"added where there is one": {
			config.Resource{Add: map[string]config.AddedField{"tokenSecretRef": {}}},
			"add.tokenSecretRef: tokenSecretRef is taken",
		},
		"added of no type": {
			config.Resource{Add: map[string]config.AddedField{"owner": {Type: "date"}}},
			`add.owner.type: there is no type "date"`,
		},
		"attribute and argument": {
			external(config.ExternalName{Attribute: "id", Argument: "name"}),
			"externalName.argument: give either attribute or argument",
		},
		"no such argument":           {external(config.ExternalName{Argument: "title"}), "externalName.argument: there is no attribute title"},
		"argument of the provider's": {external(config.ExternalName{Argument: "id"}), "externalName.argument: id is set by the provider"},
		"argument that is a number":  {external(config.ExternalName{Argument: "size"}), "externalName.argument: size is not a string"},
		"argument that has a value": {
			config.Resource{
				ExternalName: &config.ExternalName{Argument: "name"},
				Fields:       map[string]config.Field{"name": {Value: "x"}},
			}, "externalName.argument: fields.name.value already sets name",
		},
		"default without argument": {external(config.ExternalName{Default: "x"}), "externalName.default: it needs argument"},
		"default of the object": {
			external(config.ExternalName{Argument: "name", Default: "{{ .attributes.id }}"}),
			`externalName.default: "{{ .attributes.id }}": there is no .attributes.id here; available: .metadata, .parameters`,
		},
		"import id without a name": {
			external(config.ExternalName{ImportID: "{{ .parameters.region }}"}),
			`externalName.importID: "{{ .parameters.region }}" must have {{ .externalName }} once`,
		},
		"import id of the argument": {
			external(config.ExternalName{Argument: "name", ImportID: "{{ .externalName }}/{{ .parameters.name }}"}),
			`externalName.importID: "{{ .externalName }}/{{ .parameters.name }}": name is not in spec.forProvider`,
		},
		"no tags": {
			config.Resource{DefaultTags: &config.DefaultTags{Attribute: "labels"}},
			"defaultTags.attribute: there is no attribute labels",
		},
		"tags that are none": {
			config.Resource{DefaultTags: &config.DefaultTags{Attribute: "name"}},
			"defaultTags.attribute: name is neither a map of strings nor a list or set of objects with nothing but " +
				"key and value to be given, that can be set",
		},
		"tags of other objects": {
			config.Resource{DefaultTags: &config.DefaultTags{Attribute: "rule"}},
			"defaultTags.attribute: rule is neither a map of strings nor a list or set of objects with nothing but " +
				"key and value to be given, that can be set",
		},
		"tag of nothing": {
			config.Resource{
				DefaultTags: &config.DefaultTags{Tags: map[string]config.Template{"a": "{{ .nothing }}"}},
			}, `defaultTags.tags.a: "{{ .nothing }}": there is no .nothing here; available: .metadata, .parameters`,
		},
		"no key": {
			config.Resource{ConnectionDetails: map[string]config.Template{"a b": "x"}},
			"connectionDetails.a b: a key of a Secret has letters, digits, dashes, underscores and dots",
		},
		"detail of nothing": {
			config.Resource{ConnectionDetails: map[string]config.Template{"a": "{{ .attributes.rule.kind }}"}},
			`connectionDetails.a: "{{ .attributes.rule.kind }}": there is no rule.kind`,
		},
		"late initialisation": {
			config.Resource{LateInitialize: &config.LateInitialize{Ignore: []string{"nothing"}}},
			"lateInitialize.ignore[0]: there is no nothing",
		},
		"timeout": {
			config.Resource{Timeouts: &config.Timeouts{Update: &metav1.Duration{Duration: -time.Second}}},
			"timeouts.update: it must be greater than 0",
		},
		"reference of what is no one": {
			config.Resource{
				References: map[string]config.Reference{"region": {Targets: []config.Target{{Type: "cloud_nothing"}}}},
			}, "references.region.targets[0].type: the provider has no resource type cloud_nothing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at, p := range map[string]config.Provider{
				"resources.cloud_thing": {Resources: map[string]config.Resource{"cloud_thing": test.config}},
				"overrides[0]": {
					Overrides: []config.Override{{Match: []string{"cloud_*"}, Resource: test.config}},
					Resources: map[string]config.Resource{"cloud_thing": {Kind: "Thing"}},
				},
			} {
				_, err := model.NewProvider("cloud", configurable(), p)
				var e *config.Error
				if want := at + "." + test.want; !errors.As(err, &e) || err.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
		})
	}
}

func TestProviderConfigFields(t *testing.T) {
	t.Parallel()
	s := configurable()
	s.Config = s.Resources["cloud_thing"].Block
	p, err := model.NewProvider("cloud", s, config.Provider{ProviderConfig: config.ProviderConfig{Fields: map[string]config.Field{
		"policy": {Sensitive: true}, "region": {Name: "location"}, "rule.kind": {Sensitive: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	rule := p.Config.Object.ByTerraform("rule").Type.Element.Object
	got := []string{
		p.Config.Object.ByTerraform("policy").InputName(), p.Config.Object.ByTerraform("region").InputName(),
		rule.ByTerraform("kind").InputName(),
	}
	if diff := cmp.Diff([]string{"policySecretRef", "location", "kindSecretRef"}, got); diff != "" {
		t.Error(diff)
	}
	for name, test := range map[string]struct {
		path  string
		field config.Field
		want  string
	}{
		"no such argument": {"nothing", config.Field{Sensitive: true}, "fields.nothing: there is no nothing"},
		"sensitive block": {
			"rule", config.Field{Sensitive: true},
			"fields.rule.sensitive: rule is not an attribute: only attributes can be sensitive",
		},
		"no type":       {"name", config.Field{Type: "date"}, `fields.name.type: name is a string, which cannot be presented as "date"`},
		"value":         {"name", config.Field{Value: "x"}, "fields.name.value: it cannot be set here: set it in each ProviderConfig"},
		"name is taken": {"name", config.Field{Name: "serviceAccountTokens"}, "fields.name.name: serviceAccountTokens is taken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := model.NewProvider("cloud", s, config.Provider{
				ProviderConfig: config.ProviderConfig{Fields: map[string]config.Field{test.path: test.field}},
			})
			var e *config.Error
			if want := "providerConfig." + test.want; !errors.As(err, &e) || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}
