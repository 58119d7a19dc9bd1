package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// configured installs the example cloud's provider with a spec, under a name that only this test
// uses.
func (c *cluster) configured(t *testing.T, name string, spec m) (*unstructured.Unstructured, clouded) {
	t.Helper()
	path := filepath.Join(scratch, "terraform-provider-"+name+"_v3.0.0")
	if err := os.Symlink(examplecloudtest.Provider(t, examplecloudtest.Framework6), path); err != nil {
		t.Fatal(err)
	}
	p := terraformProvider(name, path, "examplecloud_thing", "examplecloud_alias")
	for k, v := range spec {
		p.Object["spec"].(m)[k] = v
	}
	out := clouded{cluster: c, cloud: examplecloudtest.Start(t), provider: name, config: "default", namespace: c.Namespace(t)}
	c.install(t, p)
	c.MustCreate(t, resource(text(p, "spec", "group")+"/v1alpha1", "ClusterProviderConfig", "", "default", m{"endpoint": out.cloud.URL}))
	return p, out
}

// A TerraformProvider's configuration of kinds takes effect in CRDs, in remote objects and in
// status.
func TestConfiguration(t *testing.T) {
	c := shared(t)
	p, w := c.configured(t, "presented", m{
		"group": "configured.example.org",
		"overrides": []any{m{
			"match": []any{"examplecloud_*"}, "having": []any{"tags"}, "defaultTags": m{
				"tags": m{"stage": "{{ .parameters.stage }}"},
			},
		}},
		"resources": m{
			"examplecloud_thing": m{
				"kind": "Machine", "shortNames": []any{"mach"}, "description": "A machine, as people call it.",
				"externalName":      m{"argument": "name", "default": "{{ .metadata.namespace }}-{{ .metadata.name }}"},
				"fields":            m{"size": m{"name": "gigabytes", "type": "string", "description": "How large it is."}},
				"add":               m{"stage": m{"required": true, "description": "What it is for."}},
				"connectionDetails": m{"address": "{{ .attributes.name }}.{{ .attributes.region }}.example.org"},
				"lateInitialize":    m{"enabled": true, "ignore": []any{"region"}},
				"timeouts":          m{"create": "90s", "update": "2s"},
			},
			"examplecloud_alias": m{"fields": m{"target": m{"sensitive": true}}},
		},
	})
	const api = "configured.example.org/v1alpha1"
	crd := c.crd(t.Context(), "machines.configured.example.org")
	if crd == nil {
		t.Fatal("there is no CRD")
	}
	if got := text(crd, "spec", "names", "shortNames"); got != "[mach]" {
		t.Errorf("short names: %s", got)
	}

	// The object is created as configured.
	u := resource(api, "Machine", w.namespace, "web", m{
		"forProvider":                m{"stage": "test", "tags": m{"own": "1"}},
		"writeConnectionSecretToRef": m{"name": "web"},
	})
	c.MustCreate(t, u)
	name := w.namespace + "-web"
	c.WaitFor(t, u, "late-initialised", func() bool { return text(u, "spec", "forProvider", "gigabytes") == "1" })
	c.WaitReady(t, u)
	if got := text(u, "status", "atProvider", "gigabytes"); got != "1" {
		t.Errorf("status has gigabytes %q", got)
	}
	if _, ok, _ := unstructured.NestedString(u.Object, "spec", "forProvider", "gigabytes"); !ok {
		t.Error("gigabytes is no string")
	}
	if got := u.GetAnnotations()["crossplane.io/external-name"]; got != name {
		t.Errorf("the external name is %s", got)
	}
	if got := text(u, "spec", "forProvider", "region"); got != "" {
		t.Errorf("region is late-initialised to %s", got)
	}
	tags := m{
		"own": "1", "stage": "test", "crossplane-kind": "machine.configured.example.org", "crossplane-name": "web",
		"crossplane-namespace":      w.namespace,
		"crossplane-providerconfig": "default", "crossplane-providerconfig-kind": "ClusterProviderConfig",
	}
	seen, _, _ := unstructured.NestedMap(u.Object, "status", "atProvider", "tags")
	if diff := cmp.Diff(tags, seen); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	region := text(u, "status", "atProvider", "region")
	eventually(t, "the address is in the connection Secret", func(ctx context.Context) bool {
		s := &corev1.Secret{}
		return c.Get(ctx, client.ObjectKey{Namespace: w.namespace, Name: "web"}, s) == nil &&
			string(s.Data["address"]) == name+"."+region+".example.org"
	})
	// The resource settles: no further operations or writes.
	generation, version := u.GetGeneration(), ""
	if generation != 2 {
		t.Errorf("the spec was written %d times", generation-1)
	}
	eventually(t, "the resource is at rest", func(ctx context.Context) bool {
		before := version
		time.Sleep(2 * poll)
		_ = c.Get(ctx, key(u), u)
		version = u.GetResourceVersion()
		return version == before
	})
	if got := w.cloud.Audit(t); got.Creates != 1 || got.Updates != 0 {
		t.Errorf("the cloud saw %+v", got)
	}
	// The annotation is the name: changing it renames the object.
	c.MustPatch(t, u, `{"metadata":{"annotations":{"crossplane.io/external-name":"other"}}}`)
	c.WaitFor(t, u, "renamed", func() bool { return text(u, "status", "atProvider", "name") == "other" && isTrue(u, "Synced") })
	// Losing the annotation does not rename it.
	c.MustPatch(t, u, `{"metadata":{"annotations":{"crossplane.io/external-name":null}}}`)
	c.WaitFor(t, u, "named again", func() bool { return u.GetAnnotations()["crossplane.io/external-name"] == "other" })
	c.WaitReady(t, u)
	if got := text(u, "status", "atProvider", "name"); got != "other" {
		t.Errorf("the name is %s", got)
	}

	// An operation ends after the configured timeout.
	w.cloud.Fault(t, m{"on": "update", "collection": "things", "match": m{"name": "other"}, "count": 1, "delay": "40s"})
	begin := time.Now()
	c.MustPatch(t, u, `{"spec":{"forProvider":{"tags":{"own":"2"}}}}`)
	c.WaitFor(t, u, "tagged otherwise", func() bool { return text(u, "status", "atProvider", "tags", "own") == "2" && isTrue(u, "Synced") })
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("the update took %s", took)
	}
	c.tells(t, u, "CannotUpdateExternalResource: Update failed after ")

	// An imported object keeps its name, regardless of the resource's name.
	found := w.cloud.Make(t, "things", m{"name": "found", "region": region, "size": 1})
	taken := resource(api, "Machine", w.namespace, "taken", m{
		"import": m{"identity": m{"id": found["id"], "region": region}}, "forProvider": m{"stage": "test"},
	})
	c.MustCreate(t, taken)
	c.WaitReady(t, taken)
	if got := text(taken, "status", "atProvider", "name"); got != "found" || taken.GetAnnotations()["crossplane.io/external-name"] != "found" {
		t.Errorf("the name is %s, the external name %s", got, taken.GetAnnotations()["crossplane.io/external-name"])
	}
	// It is tagged like a created object.
	c.WaitFor(t, taken, "tagged", func() bool {
		seen, _, _ := unstructured.NestedStringMap(taken.Object, "status", "atProvider", "tags")
		return isTrue(taken, "UpToDate") && current(taken) && cmp.Equal(seen, map[string]string{
			"stage": "test", "crossplane-kind": "machine.configured.example.org", "crossplane-name": "taken", "crossplane-namespace": w.namespace,
			"crossplane-providerconfig": "default", "crossplane-providerconfig-kind": "ClusterProviderConfig",
		})
	})
	c.Remove(t, taken)

	// The configuration can mark attributes as sensitive that the provider does not.
	c.secret(t, w.namespace, "target", map[string]string{"value": "hunter2"})
	a := resource(api, "Alias", w.namespace, "a", m{
		"forProvider": m{
			"name": "a-" + w.namespace, "targetSecretRef": m{"name": "target", "key": "value"},
		},
		"writeConnectionSecretToRef": m{"name": "a"},
	})
	c.MustCreate(t, a)
	c.WaitReady(t, a)
	if got := text(a, "status", "atProvider", "target"); got != "" {
		t.Errorf("the target is in status: %s", got)
	}
	eventually(t, "the target is in the connection Secret", func(ctx context.Context) bool {
		s := &corev1.Secret{}
		return c.Get(ctx, client.ObjectKey{Namespace: w.namespace, Name: "a"}, s) == nil && string(s.Data["attribute.target"]) == "hunter2"
	})

	// A mistake is reported with its path, and the provider keeps running with the former
	// configuration.
	c.MustPatch(t, p, `{"spec":{"resources":{"examplecloud_alias":{"omit":["nothing"]}}}}`)
	c.WaitFalse(t, p, "Healthy", "InvalidConfiguration", "spec.resources.examplecloud_alias.omit[0]: there is no nothing")
	if !isTrue(p, "Installed") {
		t.Error("it is not installed any more")
	}
	c.MustPatch(t, u, `{"spec":{"forProvider":{"gigabytes":"2"}}}`)
	c.WaitFor(t, u, "larger", func() bool { return text(u, "status", "atProvider", "gigabytes") == "2" })
	if err := c.Patch(t.Context(), p, client.RawPatch("application/merge-patch+json",
		[]byte(`{"spec":{"resources":{"examplecloud_thing":{"timeouts":{"create":"soon"}}}}}`))); err == nil {
		t.Error("a timeout of soon is accepted")
	}

	// Kinds keep their names while objects of them exist.
	c.MustPatch(
		t, p,
		`{"spec":{"group":"renamed.example.org","resources":{"examplecloud_thing":{"kind":"Box"},"examplecloud_alias":{"omit":null}}}}`,
	)
	c.WaitFalse(t, p, "Healthy", "KindInUse", "spec.group: the group remains configured.example.org while objects of it exist")
	c.MustPatch(t, p, `{"spec":{"group":"configured.example.org"}}`)
	c.WaitFalse(t, p, "Healthy", "KindInUse", "spec.resources.examplecloud_thing: the kind remains Machine of "+
		"configured.example.org while objects of it exist")
	c.MustPatch(t, u, `{"spec":{"forProvider":{"gigabytes":"3"}}}`)
	c.WaitFor(t, u, "larger", func() bool { return text(u, "status", "atProvider", "gigabytes") == "3" })
	c.Remove(t, u)
	c.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Healthy") && current(p) })
	if c.crd(t.Context(), "boxes.configured.example.org") == nil {
		t.Error("there is no CRD of Box")
	}
	eventually(t, "the CRD of Machine is gone", func(ctx context.Context) bool {
		return c.crd(ctx, "machines.configured.example.org") == nil
	})
	box := resource(api, "Box", w.namespace, "web", m{"forProvider": m{"stage": "test"}})
	c.MustCreate(t, box)
	c.WaitReady(t, box)
	c.Remove(t, box)
	c.Remove(t, a)
}
