package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The objects of a module that OpenTofu has made become those of an instance, and nothing changes
// remotely.
func TestModuleState(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	from := newTofu(t, mirrorOf(t, "landbridge/examplecloud"), "from")
	file(t, filepath.Join(from.dir, "office", "main.tf"), office)
	file(t, filepath.Join(from.dir, "main.tf"), fmt.Sprintf(`
terraform {
  required_providers {
    examplecloud = { source = "landbridge/examplecloud" }
  }
}
provider "examplecloud" {
  alias    = "here"
  endpoint = %q
}
resource "examplecloud_thing" "other" {
  provider = examplecloud.here
  name     = "other"
}
module "office" {
  source     = "./office"
  for_each   = toset(["north", "south"])
  name       = each.key
  floors     = { count = 2 }
  providers  = { examplecloud = examplecloud.here }
  depends_on = [examplecloud_thing.other]
}
output "key" {
  value     = module.office["north"].key
  sensitive = true
}
`, e.cloud.URL))
	from.must(t, "init")
	from.must(t, "apply", "-auto-approve")
	before := e.cloud.Audit(t)
	state := filepath.Join(from.dir, "terraform.tfstate")
	into := func(name string, args ...string) (said string, code int) {
		t.Helper()
		args = append([]string{"state", "import", state, "--into", name, "--kubeconfig", e.Kubeconfig, "-n", e.namespace}, args...)
		_, said, code = landbridge(t, args...)
		return said, code
	}

	north := e.office("north", m{"name": "north", "floors": m{"count": 2}})
	north.SetAnnotations(map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
	for name, x := range map[string]struct {
		into string
		args []string
		want string
	}{
		"no such module": {
			"office/north", []string{"--module", "module.shop"},
			`the state has no managed resources in module.shop. It has some in module.office["north"], module.office["south"]`,
		},
		"a module with instances": {
			"office/north", []string{"--module", "module.office"},
			`the state has no managed resources in module.office. It has some in`,
		},
		"not the kind of a module": {"thing/north", nil, "thing.examplecloud.landbridge.io is not the kind of a TerraformModule"},
		"no name":                  {"office", nil, `--into is "office", where KIND/NAME is expected`},
		"no such instance": {
			"office/north", []string{"--module", `module.office["north"]`},
			"there is no such resource: create it with the annotation crossplane.io/paused",
		},
	} {
		if said, code := into(x.into, x.args...); code != 1 || !strings.Contains(said, x.want) {
			t.Errorf("%s: exit code %d\n%s", name, code, said)
		}
	}

	e.MustCreate(t, north)
	for _, want := range []string{": stored\n", ": unchanged\n"} {
		if said, code := into("office/north", "--module", `module.office["north"]`); code != 0 || !strings.Contains(said, want) {
			t.Fatalf("exit code %d, not %s\n%s", code, want, said)
		}
	}
	e.MustPatch(t, north, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
	e.WaitReady(t, north)
	if a := e.cloud.Audit(t); a.Creates != before.Creates || a.Updates != before.Updates || a.Deletes != before.Deletes {
		t.Errorf("before %+v, after %+v", before, a)
	}
	if at := text(north, "status", "atProvider", "nameOutput"); at != "NORTH" {
		t.Errorf("the outputs are %v", north.Object["status"])
	}
	secret := &corev1.Secret{}
	if err := e.Get(t.Context(), client.ObjectKey{Namespace: e.namespace, Name: "north-key"}, secret); err != nil {
		t.Fatal(err)
	}
	if string(secret.Data["attribute.key"]) != from.must(t, "output", "-raw", "key") {
		t.Error("the password is another one")
	}

	// From then on it is managed like any other instance.
	e.MustPatch(t, north, `{"spec":{"forProvider":{"floors":{"count":1}}}}`)
	e.WaitFor(t, north, "one floor is destroyed", func() bool {
		return e.cloud.Audit(t).Deletes == before.Deletes+1 && isTrue(north, "Synced", "Ready") && current(north)
	})
	e.Remove(t, north)
	if a := e.cloud.Audit(t); a.Creates != before.Creates || a.Updates != before.Updates+1 || a.Deletes != before.Deletes+3 {
		t.Errorf("before %+v, in the end %+v", before, a)
	}
}
