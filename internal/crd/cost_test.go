package crd_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// requestLimit is the size of the largest request that the API server accepts, and budget what
// rules may cost for one object. Both are a sixteenth of it, since the API server takes long for
// the largest objects.
const (
	requestLimit = 3 << 20 / 16
	budget       = celconfig.RuntimeCELCostBudget / 16
)

// TestRulesOfLargeObjects: the API server bounds what the rules of a kind may cost for one object.
// The largest objects stay below that, since no rule could be written otherwise.
func TestRulesOfLargeObjects(t *testing.T) {
	t.Parallel()
	small := &schema.Block{Attributes: map[string]*schema.Attribute{"n": {Type: cty.String, Required: true}}}
	list := func(b *schema.Block) *schema.NestedBlock {
		return &schema.NestedBlock{Nesting: schema.NestingList, Block: b}
	}
	wide := &schema.Block{Attributes: map[string]*schema.Attribute{}}
	for i := range 40 {
		wide.Attributes[fmt.Sprint("n", i)] = &schema.Attribute{Type: cty.String, Required: true}
	}
	s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"test_thing": {
		Type: "test_thing",
		Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"texts": {Type: cty.Map(cty.String), Optional: true}},
			Blocks: map[string]*schema.NestedBlock{
				"small": list(small), "wide": list(wide),
				"outer": list(&schema.Block{Blocks: map[string]*schema.NestedBlock{"inner": list(small)}}),
			},
		},
		Identity: &schema.Identity{
			Attributes: map[string]*schema.IdentityAttribute{
				"ids": {Type: cty.List(cty.String), RequiredForImport: true},
			},
		},
	}}}
	server := accept(t, definition(t, configured(t, "test", s, schematest.ReferencesEverywhere(s)).Resources["test_thing"]))
	server.budget = budget

	repeated := func(element any) []any {
		raw, err := json.Marshal(element)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]any, requestLimit/(len(raw)+1))
		for i := range out {
			out[i] = element
		}
		return out
	}
	allOfWide := map[string]any{}
	for i := range 40 {
		allOfWide[fmt.Sprint("n", i)] = "x"
	}
	few := map[string]any{"n": "x"}
	for name, spec := range map[string]map[string]any{
		"small elements":   {"forProvider": map[string]any{"small": repeated(few)}},
		"wide elements":    {"forProvider": map[string]any{"wide": repeated(allOfWide)}},
		"lists in lists":   {"forProvider": map[string]any{"outer": repeated(map[string]any{"inner": []any{few}})}},
		"one long text":    {"forProvider": map[string]any{"texts": map[string]any{"a": strings.Repeat("x", requestLimit)}}},
		"a large identity": {"forProvider": map[string]any{}, "import": map[string]any{"identity": map[string]any{"ids": repeated("x")}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := map[string]any{
				"apiVersion": "test.landbridge.io/v1alpha1", "kind": "Thing",
				"metadata": map[string]any{"name": "x", "namespace": "default"}, "spec": spec,
			}
			written, errs := server.write(t, object, nil)
			if len(errs) > 0 {
				t.Errorf("create: %.300s", messages(errs))
			}
			if _, errs = server.write(t, object, written); len(errs) > 0 {
				t.Errorf("update: %.300s", messages(errs))
			}
		})
	}
}
