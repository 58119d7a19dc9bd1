package chart_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// compiled returns the JSON schema of a CRD's only version, as a linter understands it.
func compiled(t *testing.T, d *apiextensionsv1.CustomResourceDefinition) *jsonschema.Schema {
	t.Helper()
	all, err := crd.JSONSchemas(d)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(all[0].Document)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(all[0].Path(), document); err != nil {
		t.Fatal(err)
	}
	out, err := c.Compile(all[0].Path())
	if err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	return out
}

// Manifests are valid by the JSON schemas if the API server accepts them, rules aside, and mistakes
// are found.
func TestJSONSchemas(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("everything", schematest.Everything(), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := crd.Resource(p.Resources["everything_thing"])
	if err != nil {
		t.Fatal(err)
	}
	thing := compiled(t, d)
	const head = "apiVersion: everything.landbridge.io/v1alpha1\nkind: Thing\nmetadata: {name: x, labels: {a: b}}\n"
	for name, test := range map[string]struct{ manifest, want string }{
		"valid": {manifest: head + `
spec:
  forProvider:
    name: x
    namespace: here
    size: 1.5
    passwordSecretRef: {name: s, key: k}
    tags: {a: null, b: c}
    zones: [a, null]
    groups: [a, b]
    anything: {a: [1, x, null]}
    pair: [a, 1]
    someBlock: [{maxAgeDays: 1}]
  providerConfigRef: {kind: ProviderConfig, name: x}
`},
		"observed":            {manifest: head + "spec: {forProvider: {}, managementPolicies: [Observe]}"},
		"an unknown field":    {manifest: head + "spec: {forProvider: {nmae: x}}", want: "nmae"},
		"in spec":             {manifest: head + "spec: {forProvider: {}, policies: []}", want: "policies"},
		"at the top":          {manifest: head + "spec: {forProvider: {}}\nspecs: {}", want: "specs"},
		"in a block":          {manifest: head + "spec: {forProvider: {someBlock: [{maxAgeDays: 1, lable: x}]}}", want: "lable"},
		"a wrong type":        {manifest: head + "spec: {forProvider: {size: big}}", want: "size"},
		"null":                {manifest: head + "spec: {forProvider: {groups: [null]}}", want: "groups"},
		"twice in a set":      {manifest: head + "spec: {forProvider: {groups: [a, a]}}", want: "groups"},
		"too few blocks":      {manifest: head + "spec: {forProvider: {someBlock: []}}", want: "someBlock"},
		"required in a block": {manifest: head + "spec: {forProvider: {someBlock: [{label: a}]}}"}, // a rule, since references may set it
		"an unknown value":    {manifest: head + "spec: {forProvider: {}, managementPolicies: [Explode]}", want: "managementPolicies"},
		"no spec":             {manifest: head, want: "spec"},
		"another kind":        {manifest: strings.Replace(head, "Thing", "Things", 1) + "spec: {forProvider: {}}", want: "kind"},
		"another version":     {manifest: strings.Replace(head, "v1alpha1", "v1", 1) + "spec: {forProvider: {}}", want: "apiVersion"},
		"no metadata": {
			manifest: "apiVersion: everything.landbridge.io/v1alpha1\nkind: Thing\nspec: {forProvider: {}}",
			want:     "metadata",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := validate(t, thing, []byte(test.manifest))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want an error about %s", err, test.want)
			}
		})
	}
}

// The schemas of Landbridge's own kinds accept the manifests of the demo.
func TestJSONSchemasOfOwnKinds(t *testing.T) {
	t.Parallel()
	d, err := v1alpha1.CustomResourceDefinition()
	if err != nil {
		t.Fatal(err)
	}
	s := compiled(t, d)
	for _, u := range clustertest.Manifests(t, filepath.Join(root(t), "examples", "demo", "providers.yaml")) {
		raw, err := yaml.Marshal(u.Object)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, raw); err != nil {
			t.Errorf("%s: %v", u.GetName(), err)
		}
	}
	const limits = "apiVersion: landbridge.io/v1alpha1\nkind: TerraformProvider\nmetadata: {name: x}\nspec: " +
		"{source: hashicorp/random, limits: {memory: "
	for value, valid := range map[string]bool{"1Gi": true, "1073741824": true, "true": false} {
		if err := validate(t, s, []byte(limits+value+"}}")); (err == nil) != valid {
			t.Errorf("memory %s: %v", value, err)
		}
	}
	if err := validate(t, s,
		[]byte("apiVersion: landbridge.io/v1alpha1\nkind: TerraformProvider\nmetadata: {name: x}\nspec: {source: "+
			"hashicorp/random, verison: 1.0.0}")); err == nil || !strings.Contains(err.Error(), "verison") {
		t.Errorf("a misspelt field: %v", err)
	}
}

func validate(t *testing.T, s *jsonschema.Schema, manifest []byte) error {
	t.Helper()
	raw, err := yaml.YAMLToJSON(manifest)
	if err != nil {
		t.Fatal(err)
	}
	object, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(object)
}
