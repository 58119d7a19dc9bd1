package trigger_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/trigger"
	"github.com/landbridge-io/landbridge/schema"
)

// cloud returns a provider that has an action.
func cloud(t *testing.T) *model.Provider {
	t.Helper()
	p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{}, Actions: map[string]*schema.Block{"cloud_backup": {
		Attributes: map[string]*schema.Attribute{
			"label": {Type: cty.String, Required: true}, "source": {Type: cty.String, Required: true}, "copies": {Type: cty.Number, Optional: true},
			"tags": {Type: cty.Map(cty.String), Optional: true},
		},
	}}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The arguments of a trigger are refused as those of the action's own kind are, in its own paths.
func TestRefused(t *testing.T) {
	t.Parallel()
	const at = "spec.actions[backup]."
	for name, test := range map[string]struct {
		forProvider, ref m
		values           []any
		path, says       string
	}{
		"accepted": {forProvider: m{"label": "a", "source": "b", "copies": int64(1)}},
		"a required one is missing": {forProvider: m{"label": "a"}, path: at + "forProvider.source",
			says: at + "forProvider.source is a required"},
		"a value sets it": {forProvider: m{"label": "a"}, values: []any{m{"to": "forProvider.source", "value": "self.metadata.name"}}},
		"a value sets another one": {forProvider: m{"label": "a"},
			values: []any{m{"to": "forProvider.copies", "value": "1"}}, path: at + "forProvider.source"},
		"a value sets an element": {forProvider: m{"label": "a", "source": "b"},
			values: []any{m{"to": "forProvider.tags[x]", "value": "self.metadata.name"}}},
		"another type": {forProvider: m{"label": true, "source": "b"}, path: at + "forProvider.label",
			says: "must be of type string"},
		"an unknown field": {forProvider: m{"label": "a", "source": "b", "lable": "c"}, path: at + "forProvider.lable",
			says: "did you mean " + at + "forProvider.label?"},
		"a value for an unknown field": {
			forProvider: m{"label": "a", "source": "b"}, values: []any{m{"to": "forProvider.nothing", "value": "1"}},
			path: at + "values[forProvider.nothing].to", says: "there is no field",
		},
		"a provider configuration": {forProvider: m{"label": "a", "source": "b"},
			ref: m{"kind": "ProviderConfig", "name": "x", "nome": "y"}, path: at + "providerConfigRef.nome", says: "there is no field"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			action := m{"name": "backup", "action": backups, "events": []any{"AfterCreate"}, "forProvider": test.forProvider, "values": test.values}
			if test.ref != nil {
				action["providerConfigRef"] = test.ref
			}
			one := of(t, action)[0]
			kind := trigger.KindOf(cloud(t), one.Action)
			if kind == nil {
				t.Fatalf("there is no kind %s", one.Action)
			}
			refused, err := one.Refused(t.Context(), kind)
			if err != nil {
				t.Fatal(err)
			}
			if test.path == "" {
				if len(refused) > 0 {
					t.Errorf("refused: %+v", refused)
				}
				return
			}
			if len(refused) != 1 || refused[0].Path != test.path || !strings.Contains(refused[0].Text, test.says) {
				t.Errorf("got %+v, want %s", refused, test.path)
			}
		})
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	u := &unstructured.Unstructured{Object: m{"spec": m{"actions": []any{
		m{"name": "a", "action": backups, "condition": "no CEL ("}, m{"name": "b"}, "c", m{"action": "others.action.cloud.landbridge.io"},
	}}}}
	want := []kschema.GroupResource{kschema.ParseGroupResource(backups), {Group: "action.cloud.landbridge.io", Resource: "others"}}
	if diff := cmp.Diff(want, trigger.Actions(u)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := trigger.Actions(&unstructured.Unstructured{Object: m{"spec": m{"actions": "a"}}}); got != nil {
		t.Errorf("of no list: %v", got)
	}
	if got := trigger.KindOf(cloud(t), want[1]); got != nil {
		t.Errorf("another action: %v", got)
	}
}
