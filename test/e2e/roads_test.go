package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/upjettest"
)

// roadsSize is the number of resources of the estate that TestRoads moves.
var roadsSize = flag.Int("roads", 24, "number of resources that TestRoads moves from Terraform to Kubernetes and back")

// roadsSecret is a sensitive value of the estate.
const roadsSecret = "a-password-of-the-estate"

// roadsEstate is a configuration of OpenTofu. HUBS fills it up to the number of resources.
const roadsEstate = `
terraform {
  required_providers {
    examplecloud = { source = "landbridge-io/roads" }
    random       = { source = "hashicorp/random" }
  }
  encryption {
    key_provider "pbkdf2" "key" {
      passphrase = "correct-horse-battery-staple"
    }
    method "aes_gcm" "method" {
      keys = key_provider.pbkdf2.key
    }
    state {
      method = method.aes_gcm.method
    }
  }
}
provider "examplecloud" {
  endpoint = "ENDPOINT"
}
provider "examplecloud" {
  alias    = "west"
  endpoint = "ENDPOINT"
  region   = "us-west-2"
}
variable "secret" {
  type      = string
  sensitive = true
  default   = "a-password-of-the-estate"
}
resource "random_password" "db" {
  length = 20
}
resource "random_pet" "server" {
  for_each = toset(["web", "db.one"])
  keepers  = { role = each.key, hub = examplecloud_thing.hub[0].id }
}
resource "examplecloud_thing" "hub" {
  count = HUBS
  name  = "hub ${count.index}"
  size  = 2
  tags  = { index = "${count.index}", odd = "$${no}\n%%{no}", "a.b/c" = "d" }
}
module "site" {
  source   = "./site"
  for_each = { eu = "eu-central-1", us = "us-east-1" }
  region   = each.value
  hub      = examplecloud_thing.hub[0].id
}
resource "examplecloud_thing" "west" {
  provider = examplecloud.west
  name     = "west"
  lifecycle {
    create_before_destroy = true
  }
}
resource "examplecloud_credential" "generated" {
  name     = "generated"
  password = random_password.db.result
}
resource "examplecloud_credential" "given" {
  name     = "given"
  password = var.secret
}
resource "examplecloud_alias" "www" {
  name   = "www"
  target = examplecloud_thing.hub[0].id
}
resource "examplecloud_ticket" "ticket" {
  title        = "title"
  body         = "for ${examplecloud_alias.www.name}"
  create_token = "once"
}
resource "examplecloud_volume" "volume" {
  name = "volume"
}
resource "examplecloud_shapes" "shapes" {
  name         = "shapes"
  zones        = ["a", "b"]
  weight       = 1.5
  active       = true
  strings_list = examplecloud_thing.hub[*].id
  strings_set  = ["b", examplecloud_alias.www.target]
  strings_map  = { "k.k" = examplecloud_thing.west.id }
  anything     = { deep = [1, "two"] }
  list_block {
    name    = "n"
    numbers = [1, 2]
  }
  set_block {
    name = "s"
  }
  single_nested = { name = "n", deep = { "K_1" = { name = "x", numbers = [] } } }
}
output "hub" {
  value = examplecloud_thing.hub[0].id
}
`

const roadsModule = `
terraform {
  required_providers {
    examplecloud = { source = "landbridge-io/roads" }
  }
}
variable "region" { type = string }
variable "hub" { type = string }
resource "examplecloud_thing" "rack" {
  count  = 2
  name   = "rack ${count.index}"
  region = var.region
  tags   = { hub = var.hub }
}
resource "examplecloud_datastore" "store" {
  hci_cluster_uuid = examplecloud_thing.rack[0].id
  name             = "store"
  cluster_info     = { id = examplecloud_thing.rack[1].id, name = "info" }
}
resource "examplecloud_id_import" "note" {
  name = "note of ${var.region}"
  text = "in ${examplecloud_datastore.store.name}"
}
`

// roadsFixed is the number of resources of the estate beside its hubs.
const roadsFixed = 18

// roads counts what moved.
type roads struct{ in, out, changed, failed int }

// tofu is a directory in which OpenTofu runs.
type tofu struct{ dir, program, config string }

// run runs OpenTofu, and returns its output and exit code.
func (x tofu) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), x.program, args...)
	cmd.Dir = x.dir
	cmd.Env = []string{
		"HOME=" + x.dir, "PATH=" + os.Getenv("PATH"), "TF_CLI_CONFIG_FILE=" + x.config, "TF_IN_AUTOMATION=1",
		"CHECKPOINT_DISABLE=1", "TF_INPUT=0",
	}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// must runs OpenTofu, which must succeed.
func (x tofu) must(t *testing.T, args ...string) string {
	t.Helper()
	out, said, code := x.run(t, args...)
	if code != 0 {
		t.Fatalf("tofu %s: exit code %d\n%s\n%s", strings.Join(args, " "), code, out, said)
	}
	return out
}

// newTofu returns a directory for OpenTofu, with the providers of a mirror.
func newTofu(t *testing.T, mirror, name string) tofu {
	t.Helper()
	program, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(directory(t), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(filepath.Dir(dir), "config.tfrc")
	write(t, config, fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror))
	return tofu{dir: dir, program: program, config: config}
}

// mirrorOf returns a mirror with the example cloud's provider under an address, and random, for
// Landbridge and for OpenTofu, which has another default registry.
func mirrorOf(t *testing.T, address string) string {
	t.Helper()
	content, err := os.ReadFile(examplecloudtest.Provider(t, examplecloudtest.Framework6))
	if err != nil {
		t.Fatal(err)
	}
	platform := runtime.GOOS + "_" + runtime.GOARCH
	binary := filepath.Join(scratch, "mirror", "registry.terraform.io", address, "3.0.0", platform,
		"terraform-provider-"+filepath.Base(address)+"_v3.0.0")
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil {
		t.Fatal(err)
	}
	unfinished := filepath.Join(directory(t), "unfinished")
	if err := os.WriteFile(unfinished, content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(unfinished, binary); err != nil { // another test may run it, or write it, too
		t.Fatal(err)
	}
	mirror := filepath.Join(directory(t), "mirror")
	for name, packages := range map[string]string{
		address: filepath.Dir(binary), "hashicorp/random": filepath.Dir(providertest.Binary(t, "random")),
	} {
		for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
			version := filepath.Join(mirror, host, name, filepath.Base(filepath.Dir(packages)))
			if err := errors.Join(os.MkdirAll(version, 0o755), os.Symlink(packages, filepath.Join(version, platform))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return mirror
}

// An estate that OpenTofu made is moved into a cluster and out of it again. Nothing changes
// remotely, and OpenTofu plans no changes.
func TestRoads(t *testing.T) {
	var count roads
	c := shared(t)
	t.Cleanup(func() {
		if t.Failed() {
			count.failed = max(count.failed, 1)
		}
		fmt.Printf("roads: %d resources in, %d out, %d changed remotely, %d failed\n", count.in, count.out, count.changed, count.failed)
	})
	mirror, cloud := mirrorOf(t, "landbridge-io/roads"), examplecloudtest.Start(t)
	c.real(t, "random")
	c.install(t, terraformProvider("roads", "landbridge-io/roads"))
	for name, region := range map[string]string{"default": "us-east-1", "west": "us-west-2"} {
		c.MustCreate(t, resource("roads.landbridge.io/v1alpha1", "ClusterProviderConfig", "", name, m{"endpoint": cloud.URL, "region": region}))
	}
	ns := c.Namespace(t)
	changes := func(before examplecloudtest.Counts) int {
		a := cloud.Audit(t)
		return a.CreateRequests - before.CreateRequests + a.Updates - before.Updates + a.Deletes - before.Deletes
	}

	// Terraform makes the estate.
	from := newTofu(t, mirror, "from")
	write(t, filepath.Join(from.dir, "main.tf"),
		strings.NewReplacer("ENDPOINT", cloud.URL, "HUBS", fmt.Sprint(*roadsSize-roadsFixed)).Replace(roadsEstate))
	file(t, filepath.Join(from.dir, "site", "main.tf"), roadsModule)
	from.must(t, "init")
	from.must(t, "apply", "-auto-approve")
	before := cloud.Audit(t)

	// Its state is encrypted: OpenTofu decrypts it.
	flags := []string{"--provider-mirror", mirror, "--terraform-provider", "roads", "--terraform-provider", "random", "-n", ns}
	_, said, code := landbridge(t, append([]string{"import", "--state", filepath.Join(from.dir, "terraform.tfstate")}, flags...)...)
	if code != 1 || !strings.Contains(said, "the state is encrypted by OpenTofu. Give the output of tofu state pull") {
		t.Errorf("exit code %d: %s", code, said)
	}
	pulled := filepath.Join(from.dir, "pulled.tfstate")
	raw := from.must(t, "state", "pull")
	write(t, pulled, raw)
	state, err := tfstate.Read([]byte(raw), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range state.Resources {
		count.in += len(r.Instances)
	}
	if count.in != *roadsSize {
		t.Errorf("the estate has %d resources, want %d", count.in, *roadsSize)
	}
	_, said = run(t, append([]string{"import", "--state", pulled, "--apply"}, flags...)...)
	if !strings.Contains(said, fmt.Sprintf("%d resources applied.\n1 output skipped: hub.", count.in)) {
		t.Error(said)
	}
	for _, match := range regexp.MustCompile(` → (\S+) \S+/(\S+)\n`).FindAllStringSubmatch(said, -1) {
		apiVersion := "roads.landbridge.io/v1alpha1"
		if match[1] == "Password" || match[1] == "Pet" {
			apiVersion = random
		}
		c.untouched(t, resource(apiVersion, match[1], ns, match[2], nil))
	}
	// What the estate has of references orders deletion.
	store := resource("roads.landbridge.io/v1alpha1", "Datastore", ns, "site-eu-store", nil)
	c.WaitReady(t, store)
	if got := text(store, "spec", "references"); !strings.Contains(got, "forProvider.hciClusterUuid") ||
		!strings.Contains(got, "site-eu-rack-0") || !strings.Contains(got, "forProvider.clusterInfo.id") {
		t.Errorf("the references of the datastore: %s", got)
	}
	note := resource("roads.landbridge.io/v1alpha1", "IDImport", ns, "site-us-note", nil)
	c.WaitReady(t, note)
	if got := note.GetAnnotations()["landbridge.io/destroy-before"]; got != "Datastore/site-us-store" {
		t.Errorf("the note is destroyed before %q", got)
	}

	// What an Upjet provider manages comes in, too.
	migrated := roadsMigrate(t, c, cloud, ns, flags)
	count.in += migrated
	before.CreateRequests, before.Creates = before.CreateRequests+2, before.Creates+2 // by roadsMigrate itself
	if n := changes(before); n != 0 {
		t.Errorf("%d changes: before %+v, after %+v", n, before, cloud.Audit(t))
	}

	// And out again.
	to := newTofu(t, mirror, "to")
	args := append([]string{"export", "--show-sensitive", "--output-dir", to.dir}, "--provider-mirror", mirror, "-n", ns)
	_, said = run(t, args...)
	if _, err := fmt.Sscanf(said, "%d resources exported", &count.out); err != nil || count.out != count.in {
		t.Errorf("exported %d of %d: %s", count.out, count.in, said)
	}
	for _, name := range []string{"main.tf", "providers.tf", "variables.tf", "imports.tf"} {
		content, err := os.ReadFile(filepath.Join(to.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(roadsSecret)) {
			t.Errorf("%s has a sensitive value", name)
		}
		if name == "main.tf" && !bytes.Contains(content, []byte("hci_cluster_uuid = examplecloud_thing.site-eu-rack-0.id")) {
			t.Errorf("references are no expressions:\n%s", content)
		}
	}
	to.must(t, "init")
	plan, said, code := to.run(t, "plan", "-detailed-exitcode", "-no-color")
	if code != 0 || !strings.Contains(plan, "No changes.") {
		t.Errorf("exit code %d:\n%s%s", code, plan, said)
	}
	if count.changed = changes(before); count.changed != 0 {
		t.Errorf("%d changes: before %+v, after %+v", count.changed, before, cloud.Audit(t))
	}

	// Without the state, the import blocks take over the objects.
	some := newTofu(t, mirror, "some")
	_, said = run(t, "export", "thing.roads.landbridge.io/hub-0", "thing.roads.landbridge.io/west", "--output-dir",
		some.dir, "--provider-mirror", mirror, "-n", ns)
	if !strings.Contains(said, "The state and sensitive values were not written: give --show-sensitive to write them.") {
		t.Error(said)
	}
	some.must(t, "init")
	plan, said, _ = some.run(t, "plan", "-no-color")
	if !strings.Contains(plan, "Plan: 2 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("%s%s", plan, said)
	}
}

// roadsMigrate makes objects as an Upjet provider would have in the cluster, hands them over, and
// returns their number.
func roadsMigrate(t *testing.T, c *cluster, cloud *examplecloudtest.Cloud, ns string, flags []string) int {
	t.Helper()
	thing := cloud.Make(t, "things", m{"name": "old", "region": "us-east-1", "size": 3})
	alias := cloud.Make(t, "aliases", m{"name": "old", "target": thing["id"]})
	model, _ := examplecloudtest.Open(t, examplecloudtest.Framework6, cloud, nil)
	old := upjettest.Provider{Name: "roads", Schema: model.Schema, References: map[string][]string{"examplecloud_alias": {"target"}}}
	types := []string{"examplecloud_thing", "examplecloud_alias"}
	for _, d := range old.Definitions(types...) {
		c.MustCreate(t, d)
		c.WaitFor(t, d, "established", func() bool { return isTrue(d, "Established") })
	}
	resources := []*unstructured.Unstructured{
		old.Object("examplecloud_thing", "", "old",
			m{"id": thing["id"], "name": "old", "region": "us-east-1", "size": int64(3)}, "name", "region"),
		old.Object("examplecloud_alias", "", "old", m{"id": alias["id"], "name": "old", "target": thing["id"]}, "name", "target"),
	}
	set(t, resources[0], m{"size": int64(3)}, "spec", "initProvider")
	set(t, resources[0], "Orphan", "spec", "deletionPolicy")
	set(t, resources[1], m{"name": "old"}, "spec", "forProvider", "targetRef")
	for _, u := range resources {
		status := u.Object["status"]
		eventually(t, u.GetKind()+" is served", func(ctx context.Context) bool { return c.Create(ctx, u.DeepCopy(), client.DryRunAll) == nil })
		c.MustCreate(t, u)
		u.Object["status"] = status
		if err := c.Status().Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	for _, selected := range []string{"Thing.roads.crossplane.io/old", "roads.crossplane.io"} {
		out, _ := run(t, append([]string{"migrate", "crossplane", selected, "--hand-over", "--old-stopped"}, flags...)...)
		if !strings.Contains(out, "1 resource handed over.") {
			t.Error(out)
		}
	}
	// The reference is to the resource that was handed over first.
	took := resource("roads.landbridge.io/v1alpha1", "Alias", ns, "old", nil)
	c.untouched(t, took)
	if got := text(took, "spec", "references"); !strings.Contains(got, "forProvider.target") ||
		!strings.Contains(got, "status.atProvider.id") {
		t.Errorf("the references of the alias: %s", got)
	}

	// A dump of a provider that another cluster has.
	dir := directory(t)
	write(t, filepath.Join(dir, "old.yaml"), `
apiVersion: random.crossplane.io/v1alpha1
kind: UUID
metadata: {name: old, annotations: {crossplane.io/external-name: aabbccdd-eeff-0011-2233-445566778899}}
spec: {forProvider: {}}
`)
	_, said := run(t, append([]string{
		"migrate", "crossplane", "-f", filepath.Join(dir, "old.yaml"), "--output-dir", filepath.Join(dir, "new"),
	}, flags...)...)
	if !strings.Contains(said, "1 resource written to ") {
		t.Error(said)
	}
	for _, u := range clustertest.Manifests(t, filepath.Join(dir, "new", "2-resources", "old.uuid.random.landbridge.io.yaml")) {
		c.MustCreate(t, u)
		c.WaitReady(t, u)
	}
	return 3
}

// Resources that were made in a cluster are exported with their references, secrets and policies.
func TestExport(t *testing.T) {
	c := shared(t)
	w := c.clouded(t, examplecloudtest.Framework6, "exported")
	c.secret(t, w.namespace, "passwords", map[string]string{"api": roadsSecret})
	hub := w.of("Thing", "hub", m{
		"forProvider": m{"name": "hub"}, "managementPolicies": []any{"Observe", "Create", "Update", "LateInitialize"},
	})
	store := w.of("Datastore", "store", m{
		"forProvider": m{"name": "store", "clusterInfo": m{"id": "c"}},
		"references": []any{m{
			"to": "forProvider.hciClusterUuid", "from": m{
				"kind": "Thing", "name": "hub", "fieldPath": "status.atProvider.id",
			},
		}},
	})
	api := w.of("Credential", "api", m{"forProvider": m{"name": "api", "passwordSecretRef": m{"name": "passwords", "key": "api"}}})
	api.SetAnnotations(map[string]string{"landbridge.io/destroy-before": "Thing/hub"})
	seen := w.of("Thing", "seen", m{
		"forProvider": m{}, "managementPolicies": []any{"Observe"},
		"import": m{"identity": m{"id": w.cloud.Make(t, "things", m{"name": "seen", "region": "us-east-1"})["id"]}},
	})
	once := w.of("Thing", "once", m{
		"forProvider": m{"name": "once"}, "initProvider": m{"size": int64(4)}, "lifecycle": m{
			"createBeforeDestroy": true, "ignoreChanges": []any{"tags"},
		},
	})
	for _, u := range []*unstructured.Unstructured{hub, store, api, seen, once} {
		w.MustCreate(t, u)
	}
	for _, u := range []*unstructured.Unstructured{hub, store, api, seen, once} {
		w.WaitReady(t, u)
	}
	before := w.cloud.Audit(t)
	mirror := mirrorOf(t, "landbridge-io/exported")
	to := newTofu(t, mirror, "to")
	_, said, code := landbridge(t, "export", "--show-sensitive", "--output-dir", to.dir, "-n", w.namespace,
		"--source", w.provider+"=landbridge-io/exported")
	if code != 2 || !strings.Contains(said, "4 resources exported") ||
		!strings.Contains(said, "/seen: it only observes its object, which Terraform would manage.") {
		t.Errorf("exit code %d: %s", code, said)
	}
	content, err := os.ReadFile(filepath.Join(to.dir, "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"hci_cluster_uuid = examplecloud_thing.hub.id", "= var.api_password", "depends_on = [examplecloud_thing.hub]", "prevent_destroy = true",
		"create_before_destroy = true", "= [size, tags]", "provider = examplecloud.exported",
	} {
		if !strings.Contains(regexp.MustCompile(` +`).ReplaceAllString(string(content), " "), want) {
			t.Errorf("there is no %s in\n%s", want, content)
		}
	}
	to.must(t, "init")
	plan, said, code := to.run(t, "plan", "-detailed-exitcode", "-no-color")
	if code != 0 || !strings.Contains(plan, "No changes.") {
		t.Errorf("exit code %d:\n%s%s", code, plan, said)
	}
	if got := w.cloud.Audit(t); got != before {
		t.Errorf("before %+v, after %+v", before, got)
	}
	// Without the state, the export says what a plan does, and OpenTofu does the same.
	c.real(t, "random", "time")
	lost := resource(random, "Password", w.namespace, "lost", m{"forProvider": m{"length": 20}})
	sleep := resource("time.landbridge.io/v1alpha1", "Sleep", w.namespace, "sleep", m{"forProvider": m{"createDuration": "1ms"}})
	after := resource(random, "Pet", w.namespace, "after", m{
		"forProvider": m{"length": 1},
		"references": []any{m{
			"to": "forProvider.prefix", "from": m{
				"apiVersion": "time.landbridge.io/v1alpha1", "kind": "Sleep", "name": "sleep",
				"fieldPath": "status.atProvider.id",
			},
		}},
	})
	guarded := resource(random, "Password", w.namespace, "guarded", m{
		"forProvider": m{"length": len(roadsSecret)}, "import": m{"id": roadsSecret},
	})
	for _, u := range []*unstructured.Unstructured{lost, sleep, after, guarded} {
		w.MustCreate(t, u)
	}
	for _, u := range []*unstructured.Unstructured{lost, sleep, after, guarded} {
		w.WaitReady(t, u)
	}
	without := newTofu(t, mirror, "without")
	_, said, code = landbridge(t, "export", "-o", without.dir, "-n", w.namespace, "--source", w.provider+"=landbridge-io/exported")
	if code != 2 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"8 resources exported", "The state and sensitive values were not written",
		"password.random.landbridge.io NS/lost: a plan replaces its object, because of length", "an import cannot read bcryptHash, result",
		"password.random.landbridge.io NS/guarded: it cannot be imported, so a plan creates another object: its import id is a sensitive value",
		"sleep.time.landbridge.io NS/sleep: it cannot be imported, so a plan creates another object: Unexpected Format of ID",
		"pet.random.landbridge.io NS/after: it cannot be imported, so a plan creates another object: Resource Import Not Implemented",
	} {
		if want = strings.ReplaceAll(want, "NS", w.namespace); !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if _, err := os.Stat(filepath.Join(without.dir, "terraform.tfstate")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the state was written: %v", err)
	}
	entries, err := os.ReadDir(without.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range entries {
		content, err := os.ReadFile(filepath.Join(without.dir, x.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(roadsSecret)) {
			t.Errorf("%s has a sensitive value", x.Name())
		}
		if x.Name() == "imports.tf" {
			for _, want := range []string{"identity = {", "There is no import block for random_password.guarded: it cannot be imported"} {
				if !bytes.Contains(content, []byte(want)) {
					t.Errorf("there is no %s in\n%s", want, content)
				}
			}
		}
	}
	if strings.Contains(said, roadsSecret) {
		t.Error("the output has a sensitive value")
	}
	// What exists is not overwritten.
	_, said, code = landbridge(t, "export", "--output-dir", to.dir, "-n", w.namespace)
	if code != 1 || !strings.Contains(said, "already exists; nothing was written") {
		t.Errorf("exit code %d: %s", code, said)
	}
}
