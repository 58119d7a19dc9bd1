package crd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// fieldAt returns the schema of a field; [] is the element of a list.
func fieldAt(t *testing.T, d *apiextensionsv1.CustomResourceDefinition, path string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	field := *d.Spec.Versions[0].Schema.OpenAPIV3Schema
	for name := range strings.SplitSeq(path, ".") {
		if name == "[]" {
			field = *field.Items.Schema
			continue
		}
		inner, ok := field.Properties[name]
		if !ok {
			t.Fatalf("%s has no field %s", path, name)
		}
		field = inner
	}
	return field
}

// Whoever reads kubectl explain sees which fields are required: by the schema, else in the
// description.
func TestRequirementsAreDescribed(t *testing.T) {
	t.Parallel()
	d := definition(t, provider(t, "everything", schematest.Everything()).Resources["everything_thing"])
	tests := map[string]struct {
		path, want string // of the description, its last line
	}{
		"by a rule": {path: "spec.forProvider.name", want: "Required unless initProvider has it or the object is only observed."},
		"a secret": {
			path: "spec.forProvider.passwordSecretRef",
			want: "Required unless initProvider has it or the object is only observed.",
		},
		"by the provider": {
			path: "spec.forProvider.singletonList.maxAgeDays",
			want: "Required unless initProvider has it or the object is only observed.",
		},
		"of elements":          {path: "spec.forProvider.listBlock.[].maxAgeDays", want: "Required unless spec.references sets it."},
		"optional":             {path: "spec.forProvider.size"},
		"in initProvider":      {path: "spec.initProvider.name"},
		"observed":             {path: "status.atProvider.name", want: "The name."},
		"identity":             {path: "spec.import.identity.accountId", want: "Required unless spec.references sets it."},
		"identity, not needed": {path: "spec.import.identity.region"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fieldAt(t, d, test.path)
			lines := strings.Split(p.Description, "\n")
			if diff := cmp.Diff(test.want, lines[len(lines)-1]); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if test.path == "spec.forProvider.name" && crd.WithoutRequirement(p.Description) != "The name." {
				t.Errorf("without the requirement: %q", crd.WithoutRequirement(p.Description))
			}
		})
	}
}

// The defaults of a module's variables are in the descriptions, those of attributes in their types
// too.
func TestDefaultsAreDescribed(t *testing.T) {
	t.Parallel()
	rule := cty.Object(map[string]cty.Type{"port": cty.Number, "protocol": cty.String})
	b := &schema.Block{Attributes: map[string]*schema.Attribute{
		"name": {Type: cty.String, Required: true, Description: schema.Text{Text: "The name."}},
		"size": {Type: cty.Number, Optional: true, Description: schema.Text{Text: "Its size."}},
		"zone": {Type: cty.String, Optional: true},
		"tags": {Type: cty.Map(cty.String), Optional: true},
		"long": {Type: cty.String, Optional: true},
		"pin":  {Type: cty.String, Optional: true, Sensitive: true},
		"rules": {Optional: true, Nested: &schema.NestedAttributes{Nesting: schema.NestingList, Attributes: map[string]*schema.Attribute{
			"port": {Type: cty.Number, Required: true}, "protocol": {Type: cty.String, Optional: true},
		}}},
	}}
	d, err := crd.Module(testResource(t, b), crd.ModuleArguments{
		Nullable: map[string]bool{"name": true},
		Defaults: crd.Defaults{
			Values: map[string]cty.Value{
				"size": cty.NumberIntVal(3), "zone": cty.NullVal(cty.String), "tags": cty.MapVal(map[string]cty.Value{"a": cty.StringVal("b")}),
				"long": cty.StringVal(strings.Repeat("x", 1000)), "pin": cty.StringVal("hunter2"), "rules": cty.ListValEmpty(rule),
			},
			Inner: map[string]*crd.Defaults{
				"rules": {
					Inner: map[string]*crd.Defaults{
						"": {Values: map[string]cty.Value{"protocol": cty.StringVal("tcp")}},
					},
				},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	accept(t, d)
	for path, want := range map[string]string{
		"spec.forProvider.name":              "The name.\nRequired unless initProvider has it or the object is only observed.",
		"spec.forProvider.size":              "Its size.\nDefault: 3.",
		"spec.forProvider.zone":              "Default: null.",
		"spec.forProvider.tags":              `Default: {"a":"b"}.`,
		"spec.forProvider.long":              "It has a default, which is too long for this description.",
		"spec.forProvider.pinSecretRef":      "Key of a Secret that holds the value.",
		"spec.forProvider.rules":             "Default: [].",
		"spec.forProvider.rules.[].protocol": `Default: "tcp".`,
		"spec.forProvider.rules.[].port":     "",
		"spec.initProvider.size":             "",
	} {
		if p := fieldAt(t, d, path); p.Description != want {
			t.Errorf("%s: %q, want %q", path, p.Description, want)
		}
	}
}
