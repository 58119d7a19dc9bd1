package e2e_test

import (
	"context"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// shed is a module with a thing.
const shed = `
terraform {
  required_providers {
    splitting = {
      source = "landbridge/splitting"
    }
  }
}

variable "name" {
  type = string
}

resource "splitting_thing" "only" {
  name = var.name
}
`

// Two replicas share the resources of one provider configuration kind by kind, as long as its
// annotation says so, and until a module uses it. Nothing is made again when they are handed over.
func TestReplicasSplitAnAccount(t *testing.T) {
	t.Parallel()
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	const shards, each = 2, 3
	c := alone(t)
	d := newDouble(t, "splitting", "TESTPROVIDER_CONFIGURATION=yes")
	cache := directory(t)
	first := c.replica(t, cache, shards, "--cli", tofu, "--cli-workspaces", directory(t))
	second := c.replica(t, cache, shards, "--cli", tofu, "--cli-workspaces", directory(t))
	c.install(t, d.provider())
	ns := c.Namespace(t)
	c.secret(t, ns, "huge", map[string]string{"token": "token of huge"})
	huge := resource(d.APIVersion(), "ProviderConfig", ns, "huge", m{"tokenSecretRef": m{"name": "huge", "key": "token"}})
	huge.SetAnnotations(map[string]string{"landbridge.io/shard-by": "Kind"})
	c.MustCreate(t, huge)
	var all []*unstructured.Unstructured
	for _, name := range []string{"a", "b", "c"} {
		for _, r := range []*unstructured.Unstructured{d.thing(ns, "thing-"+name, nil), d.place(ns, "place-"+name, nil)} {
			set(t, r, m{"kind": "ProviderConfig", "name": "huge"}, "spec", "providerConfigRef")
			c.MustCreate(t, r)
			all = append(all, r)
		}
	}
	works := func(ctx context.Context) (a, b int) { return sum(first.works(ctx)), sum(second.works(ctx)) }
	apart := func(when string) {
		t.Helper()
		eventually(t, "each replica works on one kind "+when, func(ctx context.Context) bool {
			a, b := works(ctx)
			return a == each && b == each
		})
	}
	together := func(n int, when string) {
		t.Helper()
		eventually(t, "one replica works on all "+when, func(ctx context.Context) bool {
			a, b := works(ctx)
			return a+b == n && (a == 0 || b == 0)
		})
	}
	changed := func(value string) {
		t.Helper()
		for _, r := range all {
			c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"`+value+`"}}}`)
		}
		for i, r := range all {
			c.has(t, d, []string{"thing", "place"}[i%2], r.GetName(), "value", value)
			c.WaitReady(t, r)
		}
	}
	for _, r := range all {
		c.WaitReady(t, r)
	}
	apart("at first")
	changed("apart")

	c.MustPatch(t, huge, `{"metadata":{"annotations":{"landbridge.io/shard-by":null}}}`)
	changed("together") // meanwhile they are handed over
	together(2*each, "without the annotation")

	c.MustPatch(t, huge, `{"metadata":{"annotations":{"landbridge.io/shard-by":"Kind"}}}`)
	apart("with the annotation again")

	dir := directory(t)
	file(t, filepath.Join(dir, "main.tf"), shed)
	module := resource("landbridge.io/v1alpha1", "TerraformModule", "", "shed", m{
		"source": m{"directory": dir}, "providers": m{"landbridge/splitting": "splitting"},
	})
	c.MustCreate(t, module)
	c.healthy(t, module)
	instance := resource(modulesAPI, "Shed", ns, "shed", m{
		"forProvider": m{"name": "shed"}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "huge"},
	})
	c.MustCreate(t, instance)
	c.WaitReady(t, instance)
	together(2*each+1, "with a module")
	changed("with a module")

	if n := d.Calls("create"); n != 2*each+1 {
		t.Errorf("%d creates of %d objects", n, 2*each+1)
	}
	if n := d.Calls("delete"); n != 0 {
		t.Errorf("%d deletes", n)
	}
	for _, r := range []*replica{first, second} {
		r.Stop(t)
		r.ended = true
	}
}
