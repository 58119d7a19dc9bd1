//go:build !race

// The race detector makes this several times slower, so `make test` runs it without.

package generator_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// The manifests in the documentation of every kind are accepted by the CRD beside it, and nothing
// of them is pruned: the example, and the example with the import that is shown.
func TestLargeExamplesAreAccepted(t *testing.T) {
	providers := map[string]*schema.Provider{"everything": schematest.Everything()}
	for _, name := range schematest.Providers {
		providers[name] = schematest.Provider(t, name)
	}
	for name, s := range providers {
		t.Run(name, func(t *testing.T) {
			p := provide(t, name, s, config.Provider{})
			out := output(t, p)
			for _, r := range p.Resources {
				accept := server(t, out.Files["package/crds/"+r.Group+"_"+r.Plural+".yaml"])
				page := string(out.Files["docs/kinds/"+name+"/"+r.Singular+".md"])
				// Descriptions may have manifests of their own before ours.
				blocks := yamlBlock.FindAllStringSubmatch(page[strings.Index(page, "\n## Example\n"):], 2)
				if len(blocks) != 2 {
					t.Fatalf("%s has %d manifests", r.Type, len(blocks))
				}
				example, imported := manifest(t, blocks[0][1]), manifest(t, blocks[1][1])
				accept(t, r.Type, example)
				maps.Copy(example["spec"].(map[string]any), imported["spec"].(map[string]any))
				accept(t, r.Type+" imported", example)
			}
		})
	}
}

func manifest(t *testing.T, document string) map[string]any {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := utiljson.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// server does with a custom resource what the API server does, with its own code.
func server(t *testing.T, document []byte) func(t *testing.T, what string, object map[string]any) {
	t.Helper()
	d := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(document, d); err != nil {
		t.Fatal(err)
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		d.Spec.Versions[0].Schema.OpenAPIV3Schema, internal, nil,
	); err != nil {
		t.Fatal(err)
	}
	s, err := structural.NewStructural(internal)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		t.Fatal(err)
	}
	rules := cel.NewValidator(s, true, celconfig.PerCallLimit)
	return func(t *testing.T, what string, object map[string]any) {
		t.Helper()
		if pruned := pruning.PruneWithOptions(object, s, true,
			structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}); len(pruned) > 0 {
			t.Errorf("%s: unknown fields %q", what, slices.Sorted(slices.Values(pruned)))
		}
		defaulting.Default(object, s)
		errs := validation.ValidateCustomResource(nil, object, validator)
		broken, _ := rules.Validate(context.Background(), nil, s, object, nil, celconfig.RuntimeCELCostBudget)
		if errs = append(errs, broken...); len(errs) > 0 {
			t.Errorf("%s: %s\n%v", what, errs.ToAggregate(), object)
		}
	}
}
