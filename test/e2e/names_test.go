package e2e_test

import (
	gocmp "cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
)

// kindsOf returns the names of a provider's kinds in the cluster, by resource type.
func (c *cluster) kindsOf(t *testing.T, provider string) map[string]config.Names {
	t.Helper()
	out := map[string]config.Names{}
	for _, name := range c.crdNames(t.Context(), provider) {
		d := c.crd(t.Context(), name)
		if d == nil || d.GetAnnotations()["landbridge.io/resource-type"] == "" {
			continue
		}
		field := func(name string) string { return text(d, "spec", "names", name) }
		out[d.GetAnnotations()["landbridge.io/resource-type"]] = config.Names{
			Kind: field("kind"), ListKind: field("listKind"), Plural: field("plural"), Singular: field("singular"),
		}
	}
	return out
}

func kindNames(kind, listKind, plural, singular string) config.Names {
	return config.Names{Kind: kind, ListKind: listKind, Plural: plural, Singular: singular}
}

// Kinds keep their names when a provider adds types, when the controller restarts, and when the
// CRDs are those of an earlier release; and another cluster takes the names over.
func TestNamesAreStable(t *testing.T) {
	t.Parallel()
	c := alone(t)
	run := func() (stop func()) { return c.RunController(t, options(t.TempDir())) }
	stop := run()
	d := newDouble(t, "grow")
	ns := c.Namespace(t)
	env := func(types string) []any {
		return append(d.Env[:len(d.Env):len(d.Env)], m{"name": "TESTPROVIDER_TYPES", "value": types})
	}
	merge := func(p *unstructured.Unstructured, patch m) {
		t.Helper()
		raw, err := json.Marshal(patch)
		if err != nil {
			t.Fatal(err)
		}
		c.MustPatch(t, p, string(raw))
	}
	healthy := func(p *unstructured.Unstructured, types int) {
		t.Helper()
		c.WaitFor(t, p, "healthy", func() bool {
			return isTrue(p, "Installed", "Healthy") && current(p) && text(p, "status", "activated") == fmt.Sprint(types)
		})
	}
	expect := func(want map[string]config.Names) {
		t.Helper()
		got := map[string]config.Names{}
		for resourceType, n := range c.kindsOf(t, "grow") {
			if resourceType != "grow_thing" && resourceType != "grow_place" {
				got[resourceType] = n
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want, +got:\n%s", diff)
		}
	}
	var objects []*unstructured.Unstructured
	ready := func(kind, name string) *unstructured.Unstructured {
		t.Helper()
		u := d.resource(kind, ns, name, nil)
		c.MustCreate(t, u)
		c.WaitReady(t, u)
		objects = append(objects, u)
		return u
	}
	recorded := func(p *unstructured.Unstructured) m {
		out, _, _ := unstructured.NestedMap(p.Object, "status", "names")
		return out
	}

	const few = "allow registry net_list srv_record"
	const many = few + " allow_list registries net"
	p := d.provider()
	set(t, p, env(few), "spec", "env")
	c.install(t, p)
	kept := map[string]config.Names{
		"grow_allow":      kindNames("Allow", "AllowList", "allows", "allow"),
		"grow_registry":   kindNames("Registry", "RegistryList", "registries", "registry"),
		"grow_net_list":   kindNames("NetList", "NetListList", "netlists", "netlist"),
		"grow_srv_record": kindNames("SRVRecord", "SRVRecordList", "srvrecords", "srvrecord"),
	}
	expect(kept)
	if got := recorded(p); len(got) > 0 {
		t.Errorf("names of a new installation are recorded: %v", got)
	}
	allow, registry := ready("Allow", "a"), ready("Registry", "r") // the first of the objects

	// An earlier release capitalised a kind otherwise, and did not record names.
	stop()
	for _, name := range c.crdNames(t.Context(), "grow") {
		d := c.crd(t.Context(), name)
		if name != "srvrecords.grow.landbridge.io" {
			c.MustPatch(t, d, `{"metadata":{"annotations":{"landbridge.io/names":null}}}`)
			continue
		}
		earlier := d.DeepCopy()
		c.Remove(t, d)
		unstructured.RemoveNestedField(earlier.Object, "status")
		earlier.Object["metadata"] = m{
			"name": name, "labels": earlier.Object["metadata"].(m)["labels"], "annotations": m{
				"landbridge.io/resource-type": "grow_srv_record",
			},
		}
		set(t, earlier, "SrvRecord", "spec", "names", "kind")
		set(t, earlier, "SrvRecordList", "spec", "names", "listKind")
		c.MustCreate(t, earlier)
	}
	stop = run()
	kept["grow_srv_record"] = kindNames("SrvRecord", "SrvRecordList", "srvrecords", "srvrecord")
	c.WaitFor(t, p, "recorded", func() bool { return len(recorded(p)) == 1 && isTrue(p, "Installed", "Healthy") })
	expect(kept)
	ready("SrvRecord", "s")

	// A version of the provider adds types: they give way.
	merge(p, m{"spec": m{"env": env(many)}})
	healthy(p, 9)
	kept["grow_allow_list"] = kindNames("GrowAllowList", "GrowAllowListList", "growallowlists", "growallowlist")
	kept["grow_registries"] = kindNames("Registries", "RegistriesList", "growregistries", "growregistries")
	kept["grow_net"] = kindNames("Net", "GrowNetList", "nets", "net")
	expect(kept)
	for kind, name := range map[string]string{"GrowAllowList": "al", "Registries": "rs", "Net": "n", "NetList": "nl"} {
		ready(kind, name)
	}
	c.WaitReady(t, allow)
	c.WaitReady(t, registry)

	// A restart changes nothing, with and without what is recorded.
	stop()
	c.MustPatch(t, c.crd(t.Context(), "nets.grow.landbridge.io"), `{"metadata":{"annotations":{"landbridge.io/names":null}}}`)
	stop = run()
	eventually(t, "the names of the kind are recorded again", func(ctx context.Context) bool {
		return c.crd(ctx, "nets.grow.landbridge.io").GetAnnotations()["landbridge.io/names"] != ""
	})
	healthy(p, 9)
	expect(kept)

	// Only what a setting names is in use.
	merge(p, m{"spec": m{"resources": m{"grow_allow": m{"kind": "Permission"}}, "names": m{"grow_net": m{"kind": "Network"}}}})
	message := c.WaitFalse(t, p, "Healthy", "KindInUse")
	if want := "spec.resources.grow_allow: the kind remains Allow of grow.landbridge.io while objects of it exist; " +
		"spec.names.grow_net: the kind remains Net of grow.landbridge.io while objects of it exist"; message != want {
		t.Errorf("got %s, want %s", message, want)
	}
	expect(kept)
	c.Remove(t, allow)
	merge(p, m{"spec": m{"names": nil}})
	healthy(p, 9)
	renamed := maps.Clone(kept)
	renamed["grow_allow"] = kindNames("Permission", "PermissionList", "permissions", "permission")
	expect(renamed)
	// Without the setting, the name is given up.
	merge(p, m{"spec": m{"resources": nil}})
	healthy(p, 9)
	expect(kept)

	// A cluster that gets all types at once chooses otherwise, unless it is told the names.
	exported := recorded(p)
	for _, u := range objects[1:] {
		c.Remove(t, u)
	}
	c.Remove(t, p)
	eventually(t, "all kinds are gone", func(ctx context.Context) bool { return len(c.crdNames(ctx, "grow")) == 0 })
	p = d.provider()
	set(t, p, env(many), "spec", "env")
	c.install(t, p)
	expect(map[string]config.Names{
		"grow_allow":      kindNames("Allow", "GrowAllowList", "allows", "allow"),
		"grow_allow_list": kindNames("AllowList", "AllowListList", "allowlists", "allowlist"),
		"grow_registry":   kindNames("Registry", "RegistryList", "registries", "registry"),
		"grow_registries": kept["grow_registries"],
		"grow_net":        kept["grow_net"],
		"grow_net_list":   kept["grow_net_list"],
		"grow_srv_record": kindNames("SRVRecord", "SRVRecordList", "srvrecords", "srvrecord"),
	})
	merge(p, m{"spec": m{"names": exported}})
	healthy(p, 9)
	expect(kept)
	if diff := cmp.Diff(exported, recorded(p)); diff != "" {
		t.Errorf("recorded names differ from those of the other cluster (-want, +got):\n%s", diff)
	}
	c.Remove(t, p)
	stop()
}

// A large installation shows how many kinds are served.
func TestProgressOfInstallation(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "large")
	var types []string
	for i := range 58 {
		types = append(types, fmt.Sprintf("part%d", i))
	}
	p := d.provider()
	set(t, p, append(d.Env, m{"name": "TESTPROVIDER_TYPES", "value": strings.Join(types, " ")}), "spec", "env")
	c.MustCreate(t, p)
	message := c.WaitFalse(t, p, "Healthy", "Installing", " of 60 kinds are served")
	if served := gocmp.Or(text(p, "status", "activated"), "0"); message != served+" of 60 kinds are served" {
		t.Errorf("%s kinds are activated: %s", served, message)
	}
	if !isTrue(p, "Installed", "Reconciling") {
		t.Errorf("conditions: %v", p.Object["status"])
	}
	c.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Healthy") && text(p, "status", "activated") == "60" })
	c.Remove(t, p)
}

// What is named after an object does not exceed Kubernetes' limits: the object is refused, and can
// be deleted.
func TestNamesThatAreTooLong(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "long")
	p := d.provider()
	p.SetName(strings.Repeat("n", 64))
	c.MustCreate(t, p)
	c.WaitFalse(t, p, "Installed", "InvalidConfiguration", "metadata.name must have 63 characters at most")
	module := resource("landbridge.io/v1alpha1", "TerraformModule", "", strings.Repeat("n", 57), m{"source": m{"directory": d.Dir}})
	c.MustCreate(t, module)
	c.WaitFalse(t, module, "Installed", "InvalidConfiguration", "metadata.name must have 56 characters at most")
	c.Remove(t, p)
	c.Remove(t, module)
}
