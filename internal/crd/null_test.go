package crd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/schema"
)

// TestNullVariable: a required variable of a module is given if it is null, unless it is not
// nullable.
func TestNullVariable(t *testing.T) {
	t.Parallel()
	required := func(ty cty.Type) *schema.Attribute { return &schema.Attribute{Type: ty, Required: true} }
	secret := required(cty.String)
	secret.Sensitive = true
	s := &schema.Provider{
		Config: &schema.Block{},
		Resources: map[string]*schema.Resource{"test_thing": {Type: "test_thing", Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{
				"name": required(cty.String), "namespace": required(cty.Number), "tags": required(cty.Map(cty.String)),
				"zones": required(cty.List(cty.String)),
				"pin":   secret, "strict": required(cty.String), "size": {Type: cty.Number, Optional: true},
			},
		}}},
	}
	d, err := crd.Module(provider(t, "test", s).Resources["test_thing"], crd.ModuleArguments{
		Nullable: map[string]bool{"name": true, "namespace": true, "tags": true, "zones": true, "pin": true, "size": true},
		Rules:    map[string][]crd.ModuleRule{"name": {{CEL: "self.size() < 3", Message: "name is too long"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := accept(t, d)
	all := func() map[string]any {
		return map[string]any{"name": nil, "namespace": nil, "tags": nil, "zones": nil, "pinSecretRef": nil, "strict": "s"}
	}
	without := func(names ...string) map[string]any {
		out := all()
		for _, name := range names {
			delete(out, name)
		}
		return out
	}
	with := func(name string, v any) map[string]any {
		out := all()
		out[name] = v
		return out
	}
	tests := map[string]struct {
		spec map[string]any
		want []string // parts of the errors; none: accepted
	}{
		"null":              {spec: map[string]any{"forProvider": all()}},
		"a value":           {spec: map[string]any{"forProvider": with("name", "a")}},
		"optional and null": {spec: map[string]any{"forProvider": with("size", nil)}},
		"its validation":    {spec: map[string]any{"forProvider": with("name", "long")}, want: []string{"name is too long"}},
		"absent": {
			spec: map[string]any{"forProvider": without("name")}, want: []string{
				"spec.forProvider.name is a required parameter",
			},
		},
		"two absent": {
			spec: map[string]any{"forProvider": without("name", "tags")},
			want: []string{
				"spec.forProvider.name is a required parameter", "spec.forProvider.tags is a required parameter",
			},
		},
		"reserved word": {
			spec: map[string]any{"forProvider": without("namespace")}, want: []string{
				"spec.forProvider.namespace is a required parameter",
			},
		},
		"secret absent": {
			spec: map[string]any{"forProvider": without("pinSecretRef")}, want: []string{
				"spec.forProvider.pinSecretRef is a required parameter",
			},
		},
		"not nullable": {
			spec: map[string]any{"forProvider": with("strict", nil)}, want: []string{
				"spec.forProvider.strict is a required parameter",
			},
		},
		"in initProvider": {spec: map[string]any{"forProvider": without("name"), "initProvider": map[string]any{"name": nil}}},
		"observed":        {spec: map[string]any{"forProvider": map[string]any{}, "managementPolicies": []any{"Observe"}}},
		"paused":          {spec: map[string]any{"forProvider": map[string]any{}, "managementPolicies": []any{}}},
		"observed, updated": {
			spec: map[string]any{"forProvider": without("name"), "managementPolicies": []any{"Observe", "Update"}},
			want: []string{"spec.forProvider.name is a required parameter"},
		},
		"from a reference": {
			spec: map[string]any{
				"forProvider": without("name"), "references": []any{map[string]any{
					"to": "forProvider.name", "from": map[string]any{"kind": "A", "name": "a"},
				}},
			},
		},
		"of the wrong type":  {spec: map[string]any{"forProvider": with("zones", "a")}, want: []string{"spec.forProvider.zones"}},
		"an element is null": {spec: map[string]any{"forProvider": with("zones", []any{nil})}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			written, errs := server.write(t, map[string]any{"spec": tt.spec}, nil)
			got := messages(errs)
			if len(tt.want) == 0 && got != "" {
				t.Errorf("refused: %s", got)
			}
			for _, e := range errs {
				if !strings.HasPrefix(e.Field, "spec") || strings.Contains(e.Error(), "managementPolicies") {
					t.Errorf("%q does not name the field", e)
				}
			}
			for _, part := range tt.want {
				if !strings.Contains(got, part) {
					t.Errorf("the errors are %q, without %q", got, part)
				}
			}
			if name == "null" {
				if v, ok := written["spec"].(map[string]any)["forProvider"].(map[string]any)["name"]; !ok || v != nil {
					t.Errorf("null became %v, given: %t", v, ok)
				}
			}
		})
	}
}

// TestManyNullVariables: the rules for variables that may be null are within the API server's limit
// of costs.
func TestManyNullVariables(t *testing.T) {
	t.Parallel()
	b := &schema.Block{Attributes: map[string]*schema.Attribute{}}
	nullable := map[string]bool{}
	for i := range 120 {
		name := fmt.Sprintf("needed_%d", i)
		b.Attributes[name], nullable[name] = &schema.Attribute{Type: cty.String, Required: true}, true
	}
	d, err := crd.Module(testResource(t, b), crd.ModuleArguments{Nullable: nullable})
	if err != nil {
		t.Fatal(err)
	}
	if _, errs := accept(t, d).write(t, map[string]any{"spec": map[string]any{"forProvider": map[string]any{}}}, nil); len(errs) != 120 {
		t.Errorf("got %d errors, want 120", len(errs))
	}
}
