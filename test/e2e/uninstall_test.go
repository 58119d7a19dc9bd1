package e2e_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Uninstalling works in any order: whether resources, provider configurations or the
// TerraformProvider are deleted first, nothing is left that cannot be deleted.
func TestUninstall(t *testing.T) {
	c := shared(t)
	remove := func(t *testing.T, objects ...*unstructured.Unstructured) {
		t.Helper()
		for _, o := range objects {
			if err := c.Delete(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		for _, o := range objects {
			c.WaitGone(t, o)
		}
	}
	for name, order := range map[string]func(t *testing.T, d *double, provider, config, used *unstructured.Unstructured){
		"configurationlast": func(t *testing.T, _ *double, provider, config, used *unstructured.Unstructured) {
			remove(t, used)
			remove(t, provider)
			remove(t, config)
		},
		"atonce": func(t *testing.T, _ *double, provider, config, used *unstructured.Unstructured) {
			remove(t, config, used, provider)
		},
		"providerfirst": func(t *testing.T, d *double, provider, config, used *unstructured.Unstructured) {
			d.Order(t, "used", "slow 5s")
			remove(t, used, provider, config)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDouble(t, name)
			p := d.provider()
			c.install(t, p)
			ns := c.Namespace(t)
			config := resource(d.APIVersion(), "ProviderConfig", ns, "own", nil)
			c.MustCreate(t, config)
			used := d.thing(ns, "used", nil)
			used.Object["spec"].(m)["providerConfigRef"] = m{"kind": "ProviderConfig", "name": "own"}
			c.MustCreate(t, used)
			c.WaitReady(t, used)
			c.WaitFor(t, config, "held", func() bool { return len(config.GetFinalizers()) == 1 })
			order(t, d, p, config, used)
			if _, ok := d.Object("thing", "used"); ok {
				t.Error("the object is left")
			}
		})
	}
}
