package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// office is a module with resources of two providers that refer to each other.
const office = `
terraform {
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
    random = {
      source = "hashicorp/random"
    }
  }
}

variable "name" {
  type        = string
  description = "What the building is called."
  validation {
    condition     = length(var.name) < 20
    error_message = "The name is too long."
  }
  validation {
    condition     = lower(var.name) == var.name
    error_message = "The name is not in small letters."
  }
}

variable "floors" {
  type = object({
    count = number
    size  = optional(number, 4)
  })
  default = { count = 1 }
}

variable "pin" {
  type      = string
  sensitive = true
  default   = "0000"
}

resource "random_password" "key" {
  length = 12
  keepers = {
    pin = var.pin
  }
}

resource "examplecloud_thing" "building" {
  name = var.name
  size = var.floors.count
}

resource "examplecloud_thing" "floor" {
  count = var.floors.count
  name  = "${var.name}-${count.index}"
  size  = var.floors.size
  tags  = { building = examplecloud_thing.building.id }
}

output "building" {
  description = "Id of the building."
  value       = examplecloud_thing.building.id
}

output "floors" {
  value = [for f in examplecloud_thing.floor : f.id]
}

output "key" {
  value     = random_password.key.result
  sensitive = true
}

output "name" {
  value = upper(var.name)
}
`

// estate is a cluster with a module and its providers.
type estate struct {
	*cluster
	cloud     *examplecloudtest.Cloud
	module    *unstructured.Unstructured
	namespace string
}

func moduleOptions(t *testing.T, mirror string) controller.Options {
	t.Helper()
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	o := options(mirror)
	o.CommandLine = &kinds.CommandLine{Program: tofu, Dir: scratch}
	return o
}

// furnish installs the providers that office needs.
func (c *cluster) furnish(t *testing.T) *examplecloudtest.Cloud {
	t.Helper()
	path := filepath.Join(directory(t), "terraform-provider-examplecloud_v3.0.0")
	if err := os.Symlink(examplecloudtest.Provider(t, examplecloudtest.Framework6), path); err != nil {
		t.Fatal(err)
	}
	c.install(t, terraformProvider("random", "hashicorp/random", "random_pet"))
	c.install(t, terraformProvider("examplecloud", path, "examplecloud_thing"))
	cloud := examplecloudtest.Start(t)
	c.MustCreate(t, resource("examplecloud.landbridge.io/v1alpha1", "ClusterProviderConfig", "", "default", m{"endpoint": cloud.URL}))
	return cloud
}

// file writes a file of a module.
func file(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func terraformModule(name string, source m, more m) *unstructured.Unstructured {
	spec := m{"source": source, "providers": m{"landbridge/examplecloud": "examplecloud"}}
	for k, v := range more {
		spec[k] = v
	}
	return resource("landbridge.io/v1alpha1", "TerraformModule", "", name, spec)
}

func (c *cluster) healthy(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	c.WaitFor(t, u, "healthy", func() bool { return isTrue(u, "Installed", "Healthy") && current(u) })
}

func newEstate(t *testing.T) *estate {
	t.Helper()
	c := alone(t)
	c.RunController(t, moduleOptions(t, providertest.Mirror(t, "random")))
	out := &estate{cluster: c, cloud: c.furnish(t), namespace: c.Namespace(t)}
	dir := directory(t)
	file(t, filepath.Join(dir, "main.tf"), office)
	out.module = terraformModule("office", m{"directory": dir}, nil)
	c.MustCreate(t, out.module)
	c.healthy(t, out.module)
	return out
}

const modulesAPI = "modules.landbridge.io/v1alpha1"

func (e *estate) office(name string, forProvider m) *unstructured.Unstructured {
	return resource(modulesAPI, "Office", e.namespace, name, m{
		"forProvider": forProvider, "writeConnectionSecretToRef": m{"name": name + "-key"},
	})
}

// A module is a kind: typed, created, changed, repaired and deleted like a resource.
func TestModule(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	crd := e.crd(t.Context(), "offices.modules.landbridge.io")
	if crd == nil {
		t.Fatal("there is no CRD")
	}
	r := e.office("north", m{"name": "north", "floors": m{"count": 2}})
	e.MustCreate(t, r)
	e.WaitReady(t, r)
	at, _, _ := unstructured.NestedMap(r.Object, "status", "atProvider")
	floors, _ := at["floors"].(map[string]any)
	if len(floors) == 0 {
		t.Errorf("status.atProvider: %v", at)
	}
	if text(r, "status", "atProvider", "nameOutput") != "NORTH" || text(r, "status", "atProvider", "building") == "" {
		t.Errorf("outputs: %v", at)
	}
	secret := &corev1.Secret{}
	if err := e.Get(t.Context(), client.ObjectKey{Namespace: e.namespace, Name: "north-key"}, secret); err != nil {
		t.Fatal(err)
	}
	password := string(secret.Data["attribute.key"])
	if len(password) != 12 {
		t.Errorf("the connection Secret has %v", secret.Data)
	}
	audit := func(creates, updates, deletes int) {
		t.Helper()
		if a := e.cloud.Audit(t); a.Creates != creates || a.Updates != updates || a.Deletes != deletes {
			t.Errorf("%+v, want %d creates, %d updates and %d deletes", a, creates, updates, deletes)
		}
	}
	audit(3, 0, 0)

	// The objects have an owner.
	found, _ := run(t, "discover", "examplecloud_thing", "--terraform-provider", "examplecloud", "--kubeconfig", e.Kubeconfig, "-o", "json")
	var listed struct {
		Objects []struct {
			ManagedBy []struct{ Kind, Namespace, Name string }
		}
	}
	if err := json.Unmarshal([]byte(found), &listed); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(listed.Objects); got != strings.ReplaceAll("[{[{Office NS north}]} {[{Office NS north}]} "+
		"{[{Office NS north}]}]", "NS", e.namespace) {
		t.Errorf("discovered: %s", found)
	}

	// Without permission to act, status shows the plan.
	e.MustPatch(t, r, `{"spec":{"managementPolicies":["Observe","Create","Delete"],"forProvider":{"floors":{"count":1,"size":8}}}}`)
	e.WaitFor(t, r, "planned", func() bool { return text(r, "status", "plan", "summary") != "" })
	if got := text(r, "status", "plan", "summary"); got != "0 to add, 2 to change, 1 to destroy" {
		t.Errorf("plan: %s", got)
	}
	if got := text(r, "status", "plan", "resources"); !strings.Contains(got, "examplecloud_thing.floor[1]") {
		t.Errorf("plan: %s", got)
	}
	audit(3, 0, 0)
	e.MustPatch(t, r, `{"spec":{"managementPolicies":["*"]}}`)
	e.WaitReady(t, r)
	audit(3, 2, 1)

	// The users of a configuration are counted.
	config := resource("examplecloud.landbridge.io/v1alpha1", "ClusterProviderConfig", "", "default", nil)
	if err := e.Get(t.Context(), key(config), config); err != nil {
		t.Fatal(err)
	}
	if err := e.Delete(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	never(t, 3*poll, "the configuration goes while it is used", func() bool { return e.Get(t.Context(), key(config), config) != nil })

	// Drift is repaired.
	e.cloud.Change(t, "things", text(r, "status", "atProvider", "building"), m{"size": 99})
	eventually(t, "drift is repaired", func(context.Context) bool { return e.cloud.Audit(t).Updates >= 3 })
	e.WaitReady(t, r)

	// Nothing is written while nothing changes.
	version, stored := r.GetResourceVersion(), e.stored(t, e.namespace)
	if len(stored) != 1 {
		t.Fatalf("%d instances are stored", len(stored))
	}
	never(t, 3*poll, "something is written", func() bool {
		now := e.stored(t, e.namespace)
		return e.Get(t.Context(), key(r), r) != nil || r.GetResourceVersion() != version || now[0].ResourceVersion != stored[0].ResourceVersion
	})

	// No secret is shown.
	for _, u := range []*unstructured.Unstructured{r, e.module} {
		if err := e.Get(t.Context(), key(u), u); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text(u, "status"), password) {
			t.Errorf("the status of %s has a secret in it", u.GetName())
		}
	}

	// Errors name fields of the spec. Simple validations are checked when it is written.
	long := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"forProvider":{"name":"a name that is too long by far"}}}`))
	if err := e.Patch(t.Context(), r.DeepCopy(), long); !kerrors.IsInvalid(err) ||
		!strings.Contains(err.Error(), "spec.forProvider.name") ||
		!strings.Contains(err.Error(), "The name is too long.") {
		t.Errorf("a value that the module rejects: %v", err)
	}
	e.MustPatch(t, r, `{"spec":{"forProvider":{"name":"NORTH"}}}`)
	e.WaitFalse(t, r, "Synced", "InvalidConfiguration", "name", "The name is not in small letters.")

	// The module stays until the last instance is gone.
	if err := e.Delete(t.Context(), e.module); err != nil {
		t.Fatal(err)
	}
	e.WaitFalse(t, e.module, "Healthy", "KindInUse")
	e.Remove(t, r)
	if a := e.cloud.Audit(t); a.Live != 0 {
		t.Errorf("%d things are left", a.Live)
	}
	e.WaitGone(t, e.module)
	e.WaitGone(t, config)
	eventually(t, "the CRD is gone", func(ctx context.Context) bool { return e.crd(ctx, "offices.modules.landbridge.io") == nil })
}

// diff says what applying an instance of a module would do with its resources, and never that
// nothing would change of what it did not plan.
func TestDiffOfModule(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	e.secret(t, e.namespace, "pin", map[string]string{"pin": "1111"})
	r := e.office("north", m{"name": "north", "floors": m{"count": 1}, "pinSecretRef": m{"name": "pin", "key": "pin"}})
	e.MustCreate(t, r)
	e.WaitReady(t, r)
	before := e.cloud.Audit(t)
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(directory(t), "manifest.yaml")
	const office = `
apiVersion: modules.landbridge.io/v1alpha1
kind: Office
metadata: {name: north, namespace: NS}
spec:
  forProvider: {name: north, floors: {count: COUNT}, pinSecretRef: {name: pin, key: pin}}
  writeConnectionSecretToRef: {name: north-key}
---
apiVersion: v1
kind: Secret
metadata: {name: pin, namespace: NS}
stringData: {pin: "PIN"}
`
	for name, x := range map[string]struct {
		command    []string
		count, pin string
		cli        string
		code       int
		want, not  []string
	}{
		"as it is": {command: []string{"diff"}, count: "1", pin: "1111", cli: tofu, want: []string{"No changes."}},
		"a change": {
			command: []string{"diff"}, count: "2", pin: "1111", cli: tofu, code: 1,
			want: []string{
				`~ Office "` + e.namespace + `/north" {`, "~ count = 1 -> 2", "Of the module's resources:",
				"+ examplecloud_thing.floor[1]", "Plan: 1 to add, 1 to change, 0 to destroy.",
			},
		},
		"a secret that replaces": {
			command: []string{"diff"}, count: "1", pin: "8642", cli: tofu, code: 1,
			want: []string{
				"-/+ random_password.key # because cannot update", "Plan: 1 to add, 0 to change, 1 to destroy.",
			}, not: []string{"8642", "No changes."},
		},
		"plan": {
			command: []string{"plan", "--server", "--detailed-exitcode", "-o", "json"}, count: "2", pin: "1111", cli: tofu, code: 2,
			want: []string{`"contained": [`, `"address": "examplecloud_thing.floor[1]"`},
		},
		"without the program": {
			command: []string{"diff"}, count: "2", pin: "1111", cli: "/nowhere/tofu", code: 2,
			want: []string{"Module cannot be planned", "give its path with --cli"}, not: []string{"No changes."},
		},
		"plan without the program": {
			command: []string{"plan", "--server"}, count: "2", pin: "1111", cli: "/nowhere/tofu", code: 1,
			want: []string{"Module cannot be planned"}, not: []string{"No changes."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, manifest, strings.NewReplacer("NS", e.namespace, "COUNT", x.count, "PIN", x.pin).Replace(office))
			out, said, code := landbridge(t, append(x.command, "-f", manifest, "--kubeconfig", e.Kubeconfig, "--cli", x.cli)...)
			if code != x.code {
				t.Errorf("exit code %d, want %d", code, x.code)
			}
			for _, want := range x.want {
				if !strings.Contains(out+said, want) {
					t.Errorf("lacks %q:\n%s%s", want, out, said)
				}
			}
			for _, not := range x.not {
				if strings.Contains(out+said, not) {
					t.Errorf("has %q:\n%s%s", not, out, said)
				}
			}
		})
	}
	if after := e.cloud.Audit(t); after != before {
		t.Errorf("before %+v, after %+v", before, after)
	}
}
