package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// site is a module with an object that is replaced with its region, and one that is changed in
// place.
const site = `
terraform {
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
  }
}

variable "name" {
  type = string
}

variable "region" {
  type    = string
  default = "eu-central-1"
}

variable "of" {
  type    = string
  default = ""
}

resource "examplecloud_thing" "building" {
  name   = var.name
  region = var.region
}

resource "examplecloud_thing" "garden" {
  name = "${var.name}-garden"
  tags = { of = var.of }
}

output "building" {
  value = examplecloud_thing.building.id
}
`

// What refers to an output of a module waits while the object is replaced that it is of, and a
// module whose variables are of an object that is replaced.
func TestDependentsAndModules(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.RunController(t, moduleOptions(t, directory(t)))
	path := filepath.Join(directory(t), "terraform-provider-examplecloud_v3.0.0")
	if err := os.Symlink(examplecloudtest.Provider(t, examplecloudtest.Framework6), path); err != nil {
		t.Fatal(err)
	}
	c.install(t, terraformProvider("examplecloud", path, "examplecloud_thing", "examplecloud_shapes"))
	cloud, ns, dir := examplecloudtest.Start(t), c.Namespace(t), directory(t)
	const api = "examplecloud.landbridge.io/v1alpha1"
	c.MustCreate(t, resource(api, "ClusterProviderConfig", "", "default", m{"endpoint": cloud.URL}))
	file(t, filepath.Join(dir, "main.tf"), site)
	module := terraformModule("site", m{"directory": dir}, nil)
	c.MustCreate(t, module)
	c.healthy(t, module)
	make := func(t *testing.T, u *unstructured.Unstructured) *unstructured.Unstructured {
		t.Helper()
		c.MustCreate(t, u)
		c.WaitReady(t, u)
		return u
	}
	happened := func(t *testing.T, names ...string) (out []string) {
		t.Helper()
		for _, e := range cloud.Events(t) {
			what, key, _ := strings.Cut(e, " ")
			name := key[strings.LastIndex(key, "/")+1:]
			if slices.Contains(names, name) && slices.Contains([]string{"creates", "updates", "deletes"}, what) {
				out = append(out, what+" "+name)
			}
		}
		return out[len(names):]
	}
	over := func(u *unstructured.Unstructured) bool {
		status, _, _ := unstructured.NestedMap(u.Object, "status")
		return status["awaitedReplacements"] == nil && status["replacement"] == nil
	}

	t.Run("an output", func(t *testing.T) {
		t.Parallel()
		x := make(t, resource(modulesAPI, "Site", ns, "a", m{"forProvider": m{"name": "a"}}))
		d := make(t, resource(api, "Shapes", ns, "a-shapes", m{"forProvider": m{"name": "a-shapes"}, "references": []any{m{
			"to":   "forProvider.stringsList[0]",
			"from": m{"apiVersion": modulesAPI, "kind": "Site", "name": "a", "fieldPath": "status.atProvider.building"},
		}}}))
		c.MustPatch(t, d, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
		c.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		c.WaitFalse(t, x, "Synced", "AwaitingDependents", "Shapes "+ns+"/a-shapes is paused")
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "a", "a-shapes")) > 0 })
		c.MustPatch(t, d, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
		c.WaitFor(t, x, "changed", func() bool { return cloud.Happened(t, "deletes", "a") == 1 && over(x) })
		c.WaitReady(t, x)
		c.WaitFor(t, d, "of the new object", func() bool {
			list, _, _ := unstructured.NestedStringSlice(d.Object, "status", "atProvider", "stringsList")
			return slices.Equal(list, []string{text(x, "status", "atProvider", "building")}) && over(d)
		})
		if diff := cmp.Diff([]string{"deletes a", "creates a", "updates a-shapes"}, happened(t, "a", "a-shapes")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("a variable", func(t *testing.T) {
		t.Parallel()
		x := make(t, resource(api, "Thing", ns, "b", m{"forProvider": m{"name": "b", "region": "eu-central-1"}}))
		d := make(t, resource(modulesAPI, "Site", ns, "b-site", m{"forProvider": m{"name": "b-site"}, "references": []any{m{
			"to": "forProvider.of", "from": m{"apiVersion": api, "kind": "Thing", "name": "b", "fieldPath": "status.atProvider.id"},
		}}}))
		before := text(x, "status", "atProvider", "id")
		c.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		// It is not known what the module would destroy.
		c.WaitFalse(t, x, "Synced", "AwaitingApproval")
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "b", "b-site", "b-site-garden")) > 0 })
		c.MustPatch(t, x, `{"spec":{"lifecycle":{"replaceDependents":"Automatic"}}}`)
		c.WaitFor(t, x, "replaced", func() bool {
			id := text(x, "status", "atProvider", "id")
			return id != "" && id != before && over(x)
		})
		c.WaitFor(t, d, "of the new object", func() bool {
			return text(d, "status", "atProvider", "of") == text(x, "status", "atProvider", "id") && over(d)
		})
		c.WaitReady(t, d)
		if diff := cmp.Diff([]string{"deletes b", "creates b", "updates b-site-garden"},
			happened(t, "b", "b-site", "b-site-garden")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
