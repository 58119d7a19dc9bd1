package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// landbridge runs the program against the shared cluster, and returns its output and exit code.
func landbridge(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	binary, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.Env = append(os.Environ(), "KUBECONFIG="+playgroundtest.Start(t).Kubeconfig,
		"LANDBRIDGE_PROVIDER_MIRROR="+providertest.Mirror(t, "local", "random", "time"))
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// run calls landbridge and requires exit code 0.
func run(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := landbridge(t, args...)
	if code != 0 {
		t.Fatalf("landbridge %s: exit code %d\n%s\n%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout, stderr
}

// clouded is the example cloud's provider in one form under a unique name, with a cloud and a
// configuration for it.
type clouded struct {
	*cluster
	cloud     *examplecloudtest.Cloud
	provider  string // name, and first part of the group
	config    string // name of the ClusterProviderConfig
	namespace string
}

func (c *cluster) clouded(t *testing.T, form, config string) clouded {
	t.Helper()
	out := clouded{cluster: c, cloud: examplecloudtest.Start(t), provider: "cloud-" + form, config: config, namespace: c.Namespace(t)}
	path := filepath.Join(scratch, "terraform-provider-"+out.provider+"_v3.0.0")
	if err := os.Symlink(examplecloudtest.Provider(t, form), path); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	c.install(t, terraformProvider(out.provider, path))
	c.MustCreate(t, resource(out.apiVersion(), "ClusterProviderConfig", "", config, m{"endpoint": out.cloud.URL}))
	return out
}

func (c clouded) apiVersion() string { return c.provider + ".landbridge.io/v1alpha1" }

// of returns a resource of a kind with the test's configuration.
func (c clouded) of(kind, name string, spec m) *unstructured.Unstructured {
	spec["providerConfigRef"] = m{"kind": "ClusterProviderConfig", "name": c.config}
	return resource(c.apiVersion(), kind, c.namespace, name, spec)
}

// flags returns the flags for the provider, its configuration and the namespace.
func (c clouded) flags(more ...string) []string {
	return append(more, "--terraform-provider", c.provider, "--provider-config", "ClusterProviderConfig/"+c.config, "-n", c.namespace)
}

var objectIDs = regexp.MustCompile(`-[0-9a-f]{16}`)

// untouched waits until the resource was reconciled, and fails the test if an operation ran.
func (c *cluster) untouched(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	c.WaitReady(t, u)
	if status, reason, message := condition(u, "LastAsyncOperation"); status != "" {
		t.Errorf("%s %s: there was an operation: %s %s %s", u.GetKind(), u.GetName(), status, reason, message)
	}
	if got := text(u, "status", "state"); got != "Full" {
		t.Errorf("%s %s: state %s", u.GetKind(), u.GetName(), got)
	}
}

// Existing objects are listed with the resources that manage them, and imported without changes.
func TestDiscoverAndImport(t *testing.T) {
	c := shared(t)
	w := c.clouded(t, examplecloudtest.Framework6, "discover")
	managed := w.of("Thing", "managed", m{"forProvider": m{"name": "managed"}})
	w.MustCreate(t, managed)
	w.WaitReady(t, managed)
	old := w.cloud.Make(t, "things", m{"name": "Web Server", "region": "eu-central-1", "size": 4, "tags": m{"team": "a"}})
	w.cloud.Make(t, "aliases", m{"name": "www", "target": "x"})
	asked := w.cloud.Make(t, "things", m{"name": "asked for", "region": "us-east-1"})
	imported := w.of("Thing", "asked", m{"forProvider": m{"name": "asked for"}, "import": m{"identity": m{"id": asked["id"]}}})
	imported.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
	w.MustCreate(t, imported)

	list := func(args ...string) string {
		t.Helper()
		out, _ := run(t, w.flags(append([]string{"discover"}, args...)...)...)
		return regexp.MustCompile(` +`).ReplaceAllString(objectIDs.ReplaceAllString(out, "-ID"), " ")
	}
	want := `TYPE NAME IDENTITY MANAGED BY
examplecloud_alias www name=www -
examplecloud_thing Web Server id=t-ID,region=eu-central-1 -
examplecloud_thing asked for id=t-ID,region=us-east-1 NS/asked (declared)
examplecloud_thing managed id=t-ID,region=us-east-1 NS/managed
`
	if diff := cmp.Diff(strings.ReplaceAll(want, "NS", w.namespace), list()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	want = `TYPE NAME IDENTITY MANAGED BY
examplecloud_thing Web Server id=t-ID,region=eu-central-1 -
`
	if diff := cmp.Diff(want, list("examplecloud_t*", "--unmanaged")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	before := w.cloud.Audit(t)
	_, said := run(t, w.flags("import", "--unmanaged", "--apply")...)
	want = `Note: examplecloud_id_import, examplecloud_record, examplecloud_shapes cannot be listed: the provider has no list resource for it. Objects that you know are imported one by one: landbridge import TYPE --id ID
examplecloud_alias name=www → Alias NS/www
examplecloud_thing id=t-ID,region=eu-central-1 → Thing NS/web-server
2 resources applied.
`
	if diff := cmp.Diff(strings.ReplaceAll(want, "NS", w.namespace), objectIDs.ReplaceAllString(said, "-ID")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	server := resource(w.apiVersion(), "Thing", w.namespace, "web-server", nil)
	alias := resource(w.apiVersion(), "Alias", w.namespace, "www", nil)
	for _, u := range []*unstructured.Unstructured{server, alias} {
		w.untouched(t, u)
	}
	if got := text(server, "status", "identity", "id"); got != old["id"] {
		t.Errorf("another object was imported: %s, want %s", got, old["id"])
	}
	if diff := cmp.Diff(before, w.cloud.Audit(t)); diff != "" {
		t.Errorf("the import changed something in the cloud:\n%s", diff)
	}
	if got := list("--unmanaged"); got != "No objects found.\n" {
		t.Errorf("still unmanaged: %s", got)
	}
	// From now on a change of the spec changes the object.
	c.MustPatch(t, server, `{"spec":{"forProvider":{"size":5}}}`)
	w.WaitFor(t, server, "of size 5", func() bool { return text(server, "status", "atProvider", "size") == "5" })

	// A managed object is not imported a second time.
	_, said, code := landbridge(t, w.flags("import", "examplecloud_thing", "--identity",
		"id="+text(server, "status", "identity", "id")+",region=eu-central-1")...)
	if code != 1 || !strings.Contains(said, "it is managed by Thing "+w.namespace+"/web-server already") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// A Terraform state of the example cloud is imported completely, including secrets, for each form
// of the provider.
func TestImportState(t *testing.T) {
	t.Parallel()
	for _, form := range examplecloudtest.Forms {
		t.Run(form, func(t *testing.T) {
			c := shared(t)
			w := c.clouded(t, form, "state-"+form)
			dir := directory(t)
			// The objects and the state of a user without a cluster.
			const secret, told = "a-password-nobody-shows", "a-tag-nobody-shows"
			manifest := `
apiVersion: GROUP
kind: ClusterProviderConfig
metadata: {name: default}
spec: {endpoint: ENDPOINT}
---
apiVersion: GROUP
kind: Thing
metadata: {name: one}
spec: {forProvider: {name: One, region: eu-central-1, size: 3, tags: {a: ` + told + `}}}
---
apiVersion: GROUP
kind: Datastore
metadata: {name: store}
spec: {forProvider: {hciClusterUuid: u, clusterInfo: {id: c, name: m}, name: s, capacityGib: 20}}
---
apiVersion: GROUP
kind: Credential
metadata: {name: key}
spec: {forProvider: {name: k, passwordSecretRef: {name: s, key: k}}}
---
apiVersion: GROUP
kind: IDImport
metadata: {name: note}
spec: {forProvider: {name: m, text: t}}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {k: ` + secret + `}
`
			manifest = strings.NewReplacer("GROUP", w.apiVersion(), "ENDPOINT", w.cloud.URL).Replace(manifest)
			write(t, filepath.Join(dir, "manifest.yaml"), manifest)
			binary := filepath.Join(scratch, "terraform-provider-"+w.provider+"_v3.0.0")
			state := filepath.Join(dir, "terraform.tfstate")
			run(t, "apply", "-f", filepath.Join(dir, "manifest.yaml"), "--provider", binary, "--source", binarySource,
				"--state", state, "--auto-approve")

			markSensitive(t, state, "examplecloud_thing", "tags") // as for a value from a sensitive variable

			before := w.cloud.Audit(t)
			if before.Creates != 4 {
				t.Fatalf("%+v", before)
			}
			// The provider in the cluster is installed by path and has no address, so a flag names
			// it.
			written := filepath.Join(dir, "out")
			_, said, code := landbridge(t, w.flags("import", "--state", state, "--output-dir", written)...)
			if code != 1 || !strings.Contains(said, "there is no provider "+binarySource) {
				t.Errorf("exit code %d\n%s", code, said)
			}
			args := []string{
				"import", "--state", state, "--provider", binary, "--source", binarySource, "-n", w.namespace,
				"--configuration", filepath.Join(dir, "manifest.yaml"),
			}
			out, _ := run(t, args...)
			if strings.Contains(out, secret) || strings.Contains(out, told) {
				t.Error("a secret is in clear text")
			}
			// In the cluster the configuration has another name.
			config := strings.ReplaceAll(manifest, "metadata: {name: default}", "metadata: {name: "+w.config+"}")
			write(t, filepath.Join(dir, "config.yaml"), config)
			args[len(args)-1] = filepath.Join(dir, "config.yaml")
			_, said = run(t, append(args, "--provider-config", "ClusterProviderConfig/"+w.config, "--apply")...)
			if !strings.Contains(said, "4 resources applied.") {
				t.Error(said)
			}
			for kind, name := range map[string]string{"Thing": "one", "Datastore": "store", "Credential": "key", "IDImport": "note"} {
				u := resource(w.apiVersion(), kind, w.namespace, name, nil)
				w.untouched(t, u)
				if raw, _ := json.Marshal(u.Object); bytes.Contains(raw, []byte(secret)) || bytes.Contains(raw, []byte(told)) {
					t.Errorf("%s: a secret is shown", kind)
				}
			}
			if diff := cmp.Diff(before, w.cloud.Audit(t)); diff != "" {
				t.Errorf("the import changed something in the cloud:\n%s", diff)
			}
			// The listing now shows the owners.
			list, _ := run(t, w.flags("discover", "examplecloud_thing")...)
			if !strings.Contains(list, w.namespace+"/one") {
				t.Error(list)
			}
			// It is deleted like any other resource.
			one := resource(w.apiVersion(), "Thing", w.namespace, "one", nil)
			w.Remove(t, one)
			if got := w.cloud.Audit(t); got.Deletes != before.Deletes+1 {
				t.Errorf("%+v", got)
			}
		})
	}
}

const binarySource = "registry.terraform.io/landbridge-io/examplecloud"

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A state that OpenTofu created with released providers, modules, count and for_each is imported;
// its configuration is in testdata/import.
func TestImportEstate(t *testing.T) {
	c := shared(t)
	c.real(t, "random", "local", "time")
	ns := c.Namespace(t)
	raw, err := os.ReadFile("testdata/import/terraform.tfstate")
	if err != nil {
		t.Fatal(err)
	}
	dir := directory(t)
	state := filepath.Join(dir, "terraform.tfstate")
	write(t, state, strings.ReplaceAll(string(raw), "/tmp/tofu1/files", dir))
	attributes := map[string]m{} // by type and name, for resources with one instance
	var file struct {
		Resources []struct {
			Type, Name string
			Instances  []struct{ Attributes m }
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Resources {
		attributes[r.Type+"."+r.Name] = r.Instances[0].Attributes
	}
	for name, key := range map[string]string{"motd": "local_file.motd", "key": "local_sensitive_file.key"} {
		write(t, filepath.Join(dir, name), attributes[key]["content"].(string))
	}
	password := attributes["random_password.db"]["result"].(string)

	// Not those of other tests, some of which never start.
	only := []string{"--terraform-provider", "random", "--terraform-provider", "local", "--terraform-provider", "time", "-n", ns}
	_, said := run(t, append([]string{"import", "--state", state, "--apply"}, only...)...)
	if !strings.Contains(said, "15 resources applied.\nData source ") {
		t.Error(said)
	}
	resources := map[string][]string{
		random + " String": {"token"}, random + " Password": {"db"}, random + " Shuffle": {"zones"}, random + " Integer": {"port-0", "port-1"},
		random + " Pet":                      {"server-web", "server-db-one-25d1d5", "server-db-one-ed9039"},
		random + " ID":                       {"network-eu-subnet-0", "network-eu-subnet-1", "network-us-subnet-0", "network-us-subnet-1"},
		local + " File":                      {"motd"},
		local + " SensitiveFile":             {"key"},
		"time.landbridge.io/v1alpha1 Static": {"made"},
	}
	n := 0
	for kind, names := range resources {
		for _, name := range names {
			apiVersion, kind, _ := strings.Cut(kind, " ")
			u := resource(apiVersion, kind, ns, name, nil)
			c.untouched(t, u)
			if raw, _ := json.Marshal(u.Object); bytes.Contains(raw, []byte(password)) {
				t.Errorf("%s %s shows the password", kind, name)
			}
			if kind == "String" && text(u, "status", "atProvider", "result") != attributes["random_string.token"]["result"] {
				t.Errorf("another string: %s", text(u, "status", "atProvider", "result"))
			}
			n++
		}
	}
	if n != 15 {
		t.Errorf("%d resources were looked at", n)
	}
	// The files are unchanged: the provider would have written new ones.
	for _, name := range []string{"motd", "key"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s was written anew: %v, %v", name, info.Mode(), err)
		}
	}
	// Secret values are only in Secrets.
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "key-inputs"}, secret); err != nil ||
		string(secret.Data["content"]) != password {
		t.Errorf("the content of the sensitive file: %v", err)
	}
	// A second import does nothing.
	_, said, code := landbridge(t, append([]string{"import", "--state", state, "--apply", "random_string", "random_integer"}, only...)...)
	if code != 1 || !strings.Contains(said, "random_string.token: it is managed by String "+ns+"/token already") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// Objects that Terraform would replace or destroy next are kept until the user allows it.
func TestImportTaintedAndDeposed(t *testing.T) {
	c := shared(t)
	w := c.clouded(t, examplecloudtest.Framework6, "tainted")
	made := func(name string) m {
		return w.cloud.Make(t, "things", m{"name": name, "region": "us-east-1", "size": 1})
	}
	instance := func(thing m, more m) m {
		out := m{
			"schema_version": 0, "identity_schema_version": 0, "identity": m{"id": thing["id"], "region": "us-east-1"},
			"attributes": m{"id": thing["id"], "region": "us-east-1", "name": thing["name"], "size": 1, "tags": nil},
		}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	tainted, current, old := made("tainted"), made("current"), made("old")
	resource0 := func(name string, instances ...any) m {
		return m{
			"mode": "managed", "type": "examplecloud_thing", "name": name, "provider": `provider["` + binarySource +
				`"]`, "instances": instances,
		}
	}
	raw, err := json.Marshal(m{"version": 4, "resources": []any{
		resource0("tainted", instance(tainted, m{"status": "tainted"})),
		resource0("current", instance(current, nil), instance(old, m{"deposed": "01234567"})),
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir := directory(t)
	write(t, filepath.Join(dir, "terraform.tfstate"), string(raw))
	config, err := json.Marshal(resource(w.apiVersion(), "ClusterProviderConfig", "", w.config, m{"endpoint": w.cloud.URL}).Object)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "config.yaml"), string(config))
	before := w.cloud.Audit(t)
	_, said := run(t, "import", "--state", filepath.Join(dir, "terraform.tfstate"), "--provider",
		filepath.Join(scratch, "terraform-provider-"+w.provider+"_v3.0.0"), "--source", binarySource,
		"--configuration", filepath.Join(dir, "config.yaml"), "--provider-config", "ClusterProviderConfig/"+w.config,
		"-n", w.namespace, "--apply")
	if !strings.Contains(said, "2 resources applied.") {
		t.Error(said)
	}
	kept, replaced := resource(w.apiVersion(), "Thing", w.namespace, "tainted", nil),
		resource(w.apiVersion(), "Thing", w.namespace, "current", nil)
	w.WaitFor(t, kept, "tainted", func() bool { return text(kept, "status", "state") == "Tainted" })
	w.WaitFor(t, replaced, "full, with a deposed object", func() bool {
		return text(replaced, "status", "state") == "Full" && strings.Contains(text(replaced, "status", "deposed"), "01234567")
	})
	never(t, 4*poll, "something was done to the cloud", func() bool { return !cmp.Equal(before, w.cloud.Audit(t)) })

	// The user allows it.
	c.MustPatch(t, replaced, `{"spec":{"managementPolicies":["*"]}}`)
	w.WaitFor(t, replaced, "without a deposed object", func() bool { return text(replaced, "status", "deposed") == "" })
	c.MustPatch(t, kept, `{"spec":{"lifecycle":{"taintPolicy":"Replace"}}}`)
	w.WaitFor(t, kept, "replaced", func() bool { return text(kept, "status", "state") == "Full" })
	if got := w.cloud.Audit(t); got.Deletes != before.Deletes+2 || got.Creates != before.Creates+1 {
		t.Errorf("before %+v, after %+v", before, got)
	}
}

// markSensitive marks an attribute of a type as sensitive in a state file, as Terraform does for
// values from sensitive sources.
func markSensitive(t *testing.T, file, resourceType, attribute string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(raw, &state); err != nil {
		t.Fatal(err)
	}
	marked := 0
	for _, r := range state["resources"].([]any) {
		r := r.(map[string]any)
		if r["type"] != resourceType {
			continue
		}
		for _, i := range r["instances"].([]any) {
			i.(map[string]any)["sensitive_attributes"] = []any{[]any{map[string]any{"type": "get_attr", "value": attribute}}}
			marked++
		}
	}
	if marked == 0 {
		t.Fatalf("there is no %s in %s", resourceType, raw)
	}
	if raw, err = json.Marshal(state); err != nil {
		t.Fatal(err)
	}
	write(t, file, string(raw))
}
