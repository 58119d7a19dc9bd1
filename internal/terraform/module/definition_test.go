package module_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/schema"
)

func write(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	t.Parallel()
	d, diags := module.Read(write(t, map[string]string{
		"main.tf": `
terraform {
  required_version = ">= 1.6"
  required_providers {
    cloud = {
      source  = "example/cloud"
      version = "~> 1.0"
    }
    time = ">= 0.9"
  }
}
resource "random_pet" "a" {}
resource "cloud_thing" "b" { provider = cloud }
data "http" "c" { url = "https://example.org" }
resource "terraform_data" "d" {}
output "secret" {
  value     = 1
  sensitive = true
}`,
		"variables.tf.json": `{"variable":{"tags":{"type":"map(string)","default":{},"description":"Tags."},"pin":{"type":"string","sensitive":true}}}`,
		".hidden.tf":        `nonsense {`,
		"README.md":         `nonsense {`,
	}))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	want := &module.Definition{
		Variables: map[string]*module.Variable{
			"tags": {Type: cty.Map(cty.String), Description: "Tags.", Default: true, DefaultValue: cty.EmptyObjectVal},
			"pin":  {Type: cty.String, Sensitive: true},
		},
		Outputs:   map[string]*module.Output{"secret": {Sensitive: true}},
		Providers: map[string]string{"cloud": "example/cloud", "time": "hashicorp/time", "random": "hashicorp/random", "http": "hashicorp/http"},
		Required:  map[string]bool{"cloud": true, "time": true},
	}
	if diff := cmp.Diff(want, d, cmp.Comparer(cty.Type.Equals), cmp.Comparer(cty.Value.RawEquals)); diff != "" {
		t.Error(diff)
	}
}

// The parser's stack would overflow, and end the controller.
func TestReadNestedTooDeeply(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"HCL":  {"main.tf": "locals {\n  x = " + strings.Repeat("[", 5000)},
		"JSON": {"main.tf.json": `{"output":{"x":{"description":"` + strings.Repeat("${[", 5000) + `"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, diags := module.Read(write(t, files)); !strings.Contains(diags.String(), ": Nested too deeply") {
				t.Errorf("got %q", diags)
			}
		})
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		constraint string
		want       *schema.Attribute
	}{
		"a primitive":            {"number", &schema.Attribute{Type: cty.Number}},
		"anything":               {"any", &schema.Attribute{Type: cty.DynamicPseudoType}},
		"a list of anything":     {"list(any)", &schema.Attribute{Type: cty.DynamicPseudoType}},
		"a list":                 {"list(string)", &schema.Attribute{Type: cty.List(cty.String)}},
		"a tuple":                {"tuple([string, bool])", &schema.Attribute{Type: cty.Tuple([]cty.Type{cty.String, cty.Bool})}},
		"a list of lists of any": {"list(list(object({a = any})))", &schema.Attribute{Type: cty.DynamicPseudoType}},
		"an object": {"object({a = string, b = optional(number, 3)})", &schema.Attribute{Nested: &schema.NestedAttributes{
			Nesting: schema.NestingSingle, Attributes: map[string]*schema.Attribute{"a": {Type: cty.String, Required: true}, "b": {Type: cty.Number, Optional: true}},
		}}},
		"a map of objects": {"map(object({a = optional(object({b = bool}))}))", &schema.Attribute{Nested: &schema.NestedAttributes{
			Nesting: schema.NestingMap, Attributes: map[string]*schema.Attribute{"a": {Optional: true, Nested: &schema.NestedAttributes{
				Nesting: schema.NestingSingle, Attributes: map[string]*schema.Attribute{"b": {Type: cty.Bool, Required: true}},
			}}},
		}}},
		"a list of lists of objects": {"list(list(object({a = optional(string)})))", &schema.Attribute{Type: cty.List(cty.List(cty.Object(map[string]cty.Type{"a": cty.String})))}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, diags := module.Read(write(t, map[string]string{"main.tf": "variable \"v\" {\n  type = " + test.constraint + "\n}\noutput \"v\" {\n  value = 1\n}\n"}))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			r, diags := d.Schema("module_x")
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			test.want.Required = true
			want := map[string]*schema.Attribute{"v": test.want, "v_output": {Type: cty.DynamicPseudoType, Computed: true}}
			if diff := cmp.Diff(want, r.Block.Attributes, cmp.Comparer(cty.Type.Equals), cmp.FilterPath(func(p cmp.Path) bool {
				name := p.Last().String()
				return name == ".impliedType" || name == ".once"
			}, cmp.Ignore())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzRead checks that a file is read, or rejected with its name.
func FuzzRead(f *testing.F) {
	f.Add("variable \"a\" {\n  type = list(string)\n}\n", false)
	f.Add("terraform {\n  required_providers {\n    a = { source = \"b/a\", configuration_aliases = [a.b] }\n  }\n}\n", false)
	f.Add(`{"variable":{"a":{"type":"object({b=optional(string,\"x\")})"}},"resource":{"x_y":{"z":{"provider":"x.a"}}}}`, true)
	f.Fuzz(func(t *testing.T, content string, isJSON bool) {
		name := "main.tf"
		if isJSON {
			name += ".json"
		}
		d, diags := module.Read(write(t, map[string]string{name: content}))
		switch {
		case diags.HasErrors() && !strings.Contains(diags.String(), "main.tf"):
			t.Errorf("no file is named: %s", diags)
		case !diags.HasErrors():
			if r, diags := d.Schema("module_x"); !diags.HasErrors() {
				r.ImpliedType()
			}
		}
	})
}
