package generate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/tools/go/packages"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	controllergen "sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/schema"
)

// models returns all available providers by name.
func models(t *testing.T) map[string]*model.Provider {
	t.Helper()
	out := map[string]*model.Provider{}
	add := func(as, name string, s *schema.Provider, c config.Provider) {
		p, err := model.NewProvider(name, s, c)
		if err != nil {
			t.Fatal(err)
		}
		out[as] = p
	}
	for _, name := range schematest.Providers {
		add(name, name, schematest.Provider(t, name), config.Provider{})
	}
	for _, form := range examplecloudtest.Forms {
		add("examplecloud"+form, "examplecloud", examplecloud(t, form), config.Provider{})
	}
	add("everything", "everything", schematest.Everything(), config.Provider{})
	add("presented", "everything", schematest.Everything(), schematest.Configured())
	add("described", "described", described(), config.Provider{})
	add("references", "everything", schematest.Everything(), schematest.References())
	add("hcloudreferences", "hcloud", schematest.Provider(t, "hcloud"), schematest.ReferencesEverywhere(schematest.Provider(t, "hcloud")))
	add("configured", "random", schematest.Provider(t, "random"), config.Provider{
		Group: "chance.example.org",
		Resources: map[string]config.Resource{
			"random_pet":  {Kind: "Animal", Plural: "fauna", ShortNames: []string{"ani", "pet"}},
			"random_uuid": {Group: "ids.chance.example.org", Omit: []string{"keepers"}},
		},
	})
	return out
}

// described has descriptions with everything that a Go comment, gofmt or controller-gen could
// misinterpret.
func described() *schema.Provider {
	text := strings.Join([]string{
		"+ one", "", "", "+kubebuilder:validation:MaxLength=3", "  + indented", "---", "TODO: later", "\tTODO: a tab",
		"```", "+ in a fence", "TODO", "---", "```", "blanks  ",
		"*/ /* `quoted` \\n \"", "# Title", "* a", "  * b", " 1. c", "go:embed x", "//nolint", "Deprecated: no", "\r",
		"\ufefftext\x00", "\xff", "line\u2028separator", " trailing", "",
	}, "\n")
	at := func(b *schema.Block) *schema.Block {
		b.Description.Text = text
		return b
	}
	described := func() map[string]*schema.Attribute {
		out := map[string]*schema.Attribute{}
		for i, line := range append(strings.Split(text, "\n"), text, strings.Repeat(text, 9)) {
			out[fmt.Sprintf("field_%d", i)] = &schema.Attribute{
				Type: cty.String, Optional: true, Deprecated: i%2 == 0, DeprecationMessage: line,
				Description: schema.Text{Text: line},
			}
		}
		return out
	}
	return &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"described_thing": {
			Type: "described_thing",
			Block: at(&schema.Block{
				Deprecated: true, DeprecationMessage: text, Attributes: described(),
				Blocks: map[string]*schema.NestedBlock{"block": {Nesting: schema.NestingList, Block: at(&schema.Block{Attributes: described()})}},
			}),
			Identity: &schema.Identity{
				Attributes: map[string]*schema.IdentityAttribute{
					"id": {Type: cty.String, RequiredForImport: true, Description: text},
				},
			},
		},
	}}
}

func examplecloud(t *testing.T, form string) *schema.Provider {
	t.Helper()
	server, err := (&plugin.Launcher{Path: examplecloudtest.Provider(t, form)}).Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, diags := server.Schema(t.Context())
	if err := server.Close(t.Context()); err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	return s
}

// module returns a directory with a Go module for generated code, with this module's requirements.
func module(t *testing.T) string {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(raw), "module github.com/landbridge-io/landbridge/test/generate", "module generated.example.org", 1)
		text = strings.Replace(text, "=> ../..", "=> "+root, 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// controllerGen runs a generator of controller-gen over packages, as its program does. Output that
// belongs to no package goes to the given directory.
func controllerGen(t *testing.T, g genall.Generator, dir, pattern, output string) {
	t.Helper()
	run, err := genall.Generators{&g}.ForRootsWithConfig(&packages.Config{Dir: dir}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	var problems strings.Builder
	run.ErrorWriter = &problems
	run.OutputRules.Default = genall.OutputArtifacts{Config: genall.OutputToDirectory(output)}
	if run.Run() {
		t.Fatalf("controller-gen: %s", problems.String())
	}
}

// For the Go types of every resource and configuration of every provider, controller-gen generates
// the same CRD as package crd does for the model. The types compile with controller-gen's methods.
func TestControllerGenMakesTheSameCRDs(t *testing.T) {
	dir := module(t)
	all := models(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out, err := generator.Provider(all[name], generator.Options{Module: "generated.example.org/" + name})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := generator.Write(filepath.Join(dir, name), out.Files); err != nil {
			t.Fatal(err)
		}
	}
	controllerGen(t, deepcopy.Generator{}, dir, "./...", dir)
	t.Run("values", func(t *testing.T) { keepValues(t, dir) })
	vet := exec.CommandContext(t.Context(), "go", "vet", "./...")
	vet.Dir = dir
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}

	total := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		total += len(all[name].Resources)
		t.Run(name, func(t *testing.T) {
			crds := t.TempDir()
			controllerGen(t, controllergen.Generator{}, dir, "./"+name+"/...", crds)
			want := crd.ProviderConfig(all[name])
			for _, r := range all[name].Resources {
				d, err := crd.Resource(r)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, d)
			}
			for _, d := range want {
				if diff := cmp.Diff(normal(t, d), normal(t, read(t, crds, d))); diff != "" {
					t.Errorf("%s: -package crd, +controller-gen:\n%s", d.Spec.Names.Kind, diff)
				}
			}
		})
	}
	if total < 60 {
		t.Errorf("only %d resources were compared", total)
	}
	t.Logf("%d resources of %d providers", total, len(all))
}

// read returns controller-gen's CRD.
func read(t *testing.T, dir string, d *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, d.Spec.Group+"_"+d.Spec.Names.Plural+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	out := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(raw, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// normal returns a CRD as JSON without the two deliberate differences: the annotation with
// controller-gen's version, and nullable elements of lists and maps. controller-gen has no marker
// for the latter; keepValues checks that the Go types hold such elements.
func normal(t *testing.T, in *apiextensionsv1.CustomResourceDefinition) map[string]any {
	t.Helper()
	in = in.DeepCopy()
	delete(in.Annotations, "controller-gen.kubebuilder.io/version")
	withoutNullElements(in.Spec.Versions[0].Schema.OpenAPIV3Schema)
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "status") // owned by the API server
	return out
}

func withoutNullElements(s *apiextensionsv1.JSONSchemaProps) {
	for name, p := range s.Properties {
		withoutNullElements(&p)
		s.Properties[name] = p
	}
	if s.Items != nil {
		s.Items.Schema.Nullable = false
		withoutNullElements(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		s.AdditionalProperties.Schema.Nullable = false
		withoutNullElements(s.AdditionalProperties.Schema)
	}
}
