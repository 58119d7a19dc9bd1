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
		"variables.tf.json": `{"variable":{"tags":{"type":"map(string)","default":{},"description":"Tags."},"pin":{"type":"string","sensitive":true,"nullable":false}}}`,
		".hidden.tf":        `nonsense {`,
		"README.md":         `nonsense {`,
	}))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	want := &module.Definition{
		Variables: map[string]*module.Variable{
			"tags": {Type: cty.Map(cty.String), Description: "Tags.", Default: true, DefaultValue: cty.EmptyObjectVal, Nullable: true},
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

// TestRules has validations that the API server checks, and some that only the program can check.
func TestRules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of, condition, cel string
		patterns           int
	}{
		"a comparison":             {"number", "var.v >= 1 && var.v < 1.5", "((self) >= (1.0)) && ((self) < (1.5))", 0},
		"a list of texts":          {"string", `contains(["a", "it's"], var.v)`, `self in ['a', 'it\'s']`, 0},
		"a list of numbers":        {"number", `!contains([1, -2], var.v)`, `!(self in [1.0, -2.0])`, 0},
		"a pattern":                {"string", `can(regex("^\\d+$", var.v))`, `self.matches('^\\d+$')`, 5},
		"a length":                 {"string", `length(var.v) <= 3`, `self.matches('[^\\x00-\\x7f]') || ((double(size(self))) <= (3.0))`, 12},
		"null is permitted":        {"string", `var.v == null || var.v != "x"`, `(false) || ((self) != ('x'))`, 0},
		"a boolean":                {"bool", `var.v || true`, `(self) || (true)`, 0},
		"a function":               {"string", `lower(var.v) == var.v`, "", 0},
		"another variable":         {"string", `var.v != var.w`, "", 0},
		"a list":                   {"list(string)", `length(var.v) > 0`, "", 0},
		"texts in order":           {"string", `var.v < "x"`, "", 0},
		"a number of another type": {"string", `var.v == 1`, "", 0},
		"an invalid pattern":       {"string", `can(regex("(", var.v))`, "", 0},
		"a computed message":       {"string", `var.v != "x" && "${var.v}" != ""`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, diags := module.Read(write(t, map[string]string{
				"main.tf": "variable \"v\" {\n  type = " + test.of + "\n  validation {\n    condition = " +
					test.condition +
					"\n    error_message = \"No.\"\n  }\n}\n",
			}))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			var want []module.Rule
			if test.cel != "" {
				want = []module.Rule{{CEL: test.cel, Message: "No.", Patterns: test.patterns}}
			}
			if diff := cmp.Diff(want, d.Variables["v"].Rules); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadRootModule has the parts of modules that are written to be used by themselves.
func TestReadRootModule(t *testing.T) {
	t.Parallel()
	d, diags := module.Read(write(t, map[string]string{
		"main.tf": `
terraform {
  backend "s3" {}
  required_providers {
    cloud = {
      source                = "example/cloud"
      configuration_aliases = [cloud.replica]
    }
  }
}
provider "cloud" {
  alias  = "archive"
  region = var.region
  assume { role = "x" }
}
resource "cloud_box" "a" { provider = cloud.replica }
variable "region" { default = "a" }
variable "pin" {
  ephemeral = true
  default   = 1
}
locals {
  ids = { a = var.region }
}
import {
  for_each = local.ids
  to       = cloud_box.a[each.key]
  id       = "${each.value}-x"
}`,
		"main_override.tf": `variable "region" {
  default = "b"
  type    = string
}`,
	}))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if v := d.Variables["region"]; v.Type != cty.String || v.DefaultValue.AsString() != "b" || !d.Variables["pin"].Sensitive {
		t.Errorf("variables: %+v", v)
	}
	if diff := cmp.Diff([]string{"cloud", "cloud.archive", "cloud.replica"}, d.ConfigurationNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]module.Setting{
		{Provider: "cloud", Source: "example/cloud", Path: []string{"region"}, At: "main.tf:13"},
		{Provider: "cloud", Source: "example/cloud", Path: []string{"assume", "role"}, At: "main.tf:14"},
	}, d.Settings); diff != "" {
		t.Error(diff)
	}
	if got := d.Warnings.String(); !strings.Contains(got, "main.tf:3") || !strings.Contains(got, "backend is ignored") {
		t.Errorf("warnings: %q", got)
	}
	want := "import {\n  for_each = local.ids\n  id = \"${each.value}-x\"\n  to = module.this.cloud_box.a[each.key]\n}\n"
	if len(d.Imports) != 1 || d.Imports[0].Text != want || d.Imports[0].Locals["ids"] != "{ a = var.region }" ||
		d.Imports[0].Variables[0] != "region" {
		t.Errorf("imports: %+v", d.Imports)
	}
}

// TestReadRefuses has modules that cannot be read, with the line to change.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ main, says string }{
		"an undeclared configuration": {
			"resource \"a_b\" \"c\" {\n  provider = a.x\n}\n",
			"main.tf:1: Module cannot be used: It needs the configuration a.x, which is not declared. Add " +
				"configuration_aliases = [a.x]",
		},
		"an import of a resource's": {
			"import {\n  to = a_b.c\n  id = a_b.d.id\n}\n",
			"main.tf:3: Module cannot be used: The import block refers to a_b.d",
		},
		"an import of a local's": {
			"locals {\n  x = a_b.d.id\n}\nimport {\n  to = a_b.c\n  id = local.x\n}\n",
			"main.tf:6: Module cannot be used: The import block refers to a_b.d",
		},
		"an import of a file": {
			"import {\n  to = a_b.c\n  id = file(\"/etc/passwd\")\n}\n",
			"main.tf:3: Module cannot be used: The import block reads files",
		},
		"an import with a typing error": {
			"import {\n  to = a_b.c\n  ids = 1\n}\n",
			"main.tf:3: Module cannot be used: The import block has the unknown argument ids",
		},
		"locals that need themselves": {"locals {\n  x = local.y\n  y = local.x\n}\nimport {\n  to = a_b.c\n  id = local.x\n}\n", ""},
		"a default that is computed":  {"variable \"a\" {\n  default = var.b\n}\n", "main.tf:2: Variables not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := module.Read(write(t, map[string]string{"main.tf": test.main}))
			if got := diags.String(); diags.HasErrors() != (test.says != "") || !strings.Contains(got, test.says) {
				t.Errorf("got %q, want %q", got, test.says)
			}
		})
	}
}

// TestCheckSettings has settings of provider blocks that are taken, need a permission, and are
// refused.
func TestCheckSettings(t *testing.T) {
	t.Parallel()
	config := &schema.Block{Attributes: map[string]*schema.Attribute{"hidden": {Type: cty.String, Sensitive: true}}}
	for name, test := range map[string]struct {
		path []string
		want string
	}{
		"a region":               {[]string{"region"}, ""},
		"default tags":           {[]string{"default_tags", "tags"}, ""},
		"a sensitive argument":   {[]string{"hidden"}, "Module cannot be used"},
		"a token":                {[]string{"api_token"}, "Module cannot be used"},
		"a password in a block":  {[]string{"region", "password"}, "Module cannot be used"},
		"an endpoint":            {[]string{"endpoint"}, module.NotAllowed},
		"an endpoint of a block": {[]string{"endpoints", "region"}, module.NotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &module.Module{Settings: []module.Setting{{Provider: "cloud", Source: "a/cloud", Path: test.path, At: "main.tf:7"}}}
			diags := m.CheckSettings(func(string) *schema.Block { return config })
			if got := diags.String(); diags.HasErrors() != (test.want != "") || !strings.Contains(got, test.want) ||
				test.want != "" && !strings.Contains(got, "main.tf:7") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
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
			Nesting: schema.NestingSingle, Attributes: map[string]*schema.Attribute{
				"a": {Type: cty.String, Required: true}, "b": {Type: cty.Number, Optional: true},
			},
		}}},
		"a map of objects": {"map(object({a = optional(object({b = bool}))}))", &schema.Attribute{Nested: &schema.NestedAttributes{
			Nesting: schema.NestingMap, Attributes: map[string]*schema.Attribute{"a": {Optional: true, Nested: &schema.NestedAttributes{
				Nesting: schema.NestingSingle, Attributes: map[string]*schema.Attribute{"b": {Type: cty.Bool, Required: true}},
			}}},
		}}},
		"a list of lists of objects": {
			"list(list(object({a = optional(string)})))",
			&schema.Attribute{Type: cty.List(cty.List(cty.Object(map[string]cty.Type{"a": cty.String})))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, diags := module.Read(write(t, map[string]string{
				"main.tf": "variable \"v\" {\n  type = " + test.constraint + "\n}\noutput \"v\" {\n  value = 1\n}\n",
			}))
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
