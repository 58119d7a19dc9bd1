package generator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// Examples have the configurations of the documentation, with the names and types of the kind, and
// all required fields.
func TestExample(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	configuration := m{
		"name": "n", "size": 3.0, "tags": m{"a": "b"}, "zones": []any{"x", "y"}, "endpoint": m{"host_name": "h", "port": 80.0},
		"singleton_list": []any{m{"max_age_days": 2.0, "label": "l"}}, "list_block": []any{m{"max_age_days": 1.0}, m{"label": "l"}},
		"map_attribute": m{"k": m{"label": "l", "max_age_days": 5.0}}, "seen_at": "never",
	}
	secret := m{"name": "example", "key": "value"}
	tests := map[string]struct {
		config        config.Provider
		configuration m
		want          m
	}{
		"none": {want: m{"name": "example", "namespace": "example", "passwordSecretRef": secret, "someBlock": []any{m{"maxAgeDays": 1}}}},
		"of the documentation": {configuration: configuration, want: m{
			"name": "n", "namespace": "example", "passwordSecretRef": secret, "someBlock": []any{m{"maxAgeDays": 1}},
			"size": 3.0, "tags": m{"a": "b"}, "zones": []any{"x", "y"}, "endpoint": m{"hostName": "h", "port": 80.0},
			"singletonList": m{"maxAgeDays": 2.0, "label": "l"}, "listBlock": []any{m{"maxAgeDays": 1.0}, m{"maxAgeDays": 1, "label": "l"}},
			"mapAttribute": m{"k": m{"maxAgeDays": 5.0, "label": "l"}},
		}},
		"presented otherwise": {
			config: config.Provider{Resources: map[string]config.Resource{"everything_thing": {Fields: map[string]config.Field{
				"name": {Name: "title"}, "size": {Type: config.FieldString}, "zones": {Sensitive: true},
			}}}},
			configuration: m{"name": "n", "size": 3.0, "zones": []any{"x"}},
			want: m{
				"title": "n", "namespace": "example", "passwordSecretRef": secret, "someBlock": []any{m{"maxAgeDays": 1}},
				"size": "3", "zonesSecretRef": secret,
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := model.NewProvider("everything", schematest.Everything(), test.config)
			if err != nil {
				t.Fatal(err)
			}
			got, err := generator.Example(p.Resources["everything_thing"], test.configuration)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
