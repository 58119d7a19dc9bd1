package downgrade_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

const (
	landbridge = "landbridge.io/v1alpha1"
	poll       = 2 * time.Second
)

var (
	object = objecttest.New
	text   = objecttest.Text
)

// cluster is an API server in which one release after the other is the controller, and a cloud.
type cluster struct {
	*clustertest.Cluster
	cloud     *examplecloudtest.Cloud
	namespace string
	tofu      string
	program   *clustertest.Program

	slots []*slot
	// seen is the number of events of the cloud that were judged, and want is what is to happen in
	// the next ones.
	seen int
	want map[write]bounds
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c, err := clustertest.New(playgroundtest.Start(t), filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	x := &cluster{Cluster: c, cloud: examplecloudtest.Start(t), tofu: tofu, want: map[write]bounds{}}
	x.namespace = x.Namespace(t)
	t.Cleanup(func() {
		if x.program != nil {
			x.program.Kill(t)
		}
	})
	return x
}

// install applies the CRDs and permissions of a release, as an installation of its chart does, and
// as docs/install.md says.
func (x *cluster) install(t *testing.T, r *release) {
	t.Helper()
	for _, file := range r.manifests(t) {
		for _, u := range clustertest.Manifests(t, file) {
			if len(u.Object) == 0 {
				continue
			}
			applied := client.ApplyConfigurationFromUnstructured(u)
			if err := x.Apply(t.Context(), applied, client.FieldOwner("install"), client.ForceOwnership); err != nil {
				t.Fatalf("applying %s %s: %v", u.GetKind(), u.GetName(), err)
			}
		}
	}
}

// start makes a release the controller.
func (x *cluster) start(t *testing.T, r *release) {
	t.Helper()
	t.Log("the controller is", r.name)
	x.program = x.StartBinary(t, r.binary, poll, append([]string{
		"--provider-cache", filepath.Join(scratch, "cache"), "--cli", x.tofu,
		"--cli-workspaces", scratch, "-v", "1",
	}, r.flags...)...)
}

// kill ends the controller as a crash does.
func (x *cluster) kill(t *testing.T) {
	t.Helper()
	x.program.Kill(t)
	x.program = nil
}

func group(name string) string { return name + ".landbridge.io" }

// provide installs a provider.
func (x *cluster) provide(t *testing.T, name, program string, spec m) {
	t.Helper()
	path := filepath.Join(scratch, "terraform-provider-"+name)
	if err := os.Symlink(program, path); err != nil {
		t.Fatal(err)
	}
	spec["source"], spec["activate"] = path, activated[name]
	p := object(landbridge, "TerraformProvider", "", name, spec)
	x.MustCreate(t, p)
	x.WaitFor(t, p, "healthy", func() bool { return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
	if name != random {
		config := object(group(name)+"/v1alpha1", "ClusterProviderConfig", "", "default", m{"endpoint": x.cloud.URL})
		x.MustCreate(t, config)
	}
}

// furnish installs the providers and the module.
func (x *cluster) furnish(t *testing.T) {
	t.Helper()
	x.provide(t, framework, examplecloudtest.Provider(t, examplecloudtest.Framework6), m{})
	x.provide(t, sdk, examplecloudtest.Provider(t, examplecloudtest.SDKv2), m{})
	x.provide(t, random, providertest.Binary(t, "random"), m{})
	dir := filepath.Join(scratch, "depot")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(depotModule), 0o600); err != nil {
		t.Fatal(err)
	}
	u := object(landbridge, "TerraformModule", "", "depot", m{
		"source": m{"directory": dir}, "providers": m{"landbridge/" + framework: framework, "hashicorp/random": random},
	})
	x.MustCreate(t, u)
	x.WaitFor(t, u, "ready", func() bool { return objecttest.IsTrue(u, "Ready") })
}

// secret creates or changes a Secret of the resources' namespace.
func (x *cluster) secret(t *testing.T, name string, values map[string]string) {
	t.Helper()
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: x.namespace, Name: name}, StringData: values,
	}
	if err := client.IgnoreAlreadyExists(x.Create(t.Context(), s)); err != nil {
		t.Fatal(err)
	}
	s.ResourceVersion, s.StringData = "", values
	if err := x.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

// run runs a command of a release, and returns its output, also if the command has left something
// out.
func (x *cluster) run(t *testing.T, r *release, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.binary, append(args, "--kubeconfig", x.Kubeconfig)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 2) {
		t.Fatalf("%s: %s: %v\n%s", r.name, strings.Join(args, " "), err, said.Bytes())
	}
	return out
}

// decoded returns what a release reads in the stored records: all values, by the resource.
func (x *cluster) decoded(t *testing.T, r *release) map[string]string {
	t.Helper()
	out := map[string]string{}
	exported := x.run(t, r, "state", "export", "--all-namespaces", "--show-sensitive")
	var file struct {
		Resources []struct {
			Name      string
			Instances json.RawMessage
		}
	}
	if err := json.Unmarshal(exported, &file); err != nil {
		t.Fatal(err)
	}
	for _, block := range file.Resources {
		_, name, _ := strings.Cut(block.Name, "_") // it begins with the namespace
		out[name] = string(block.Instances)
	}
	// Instances of modules are not exported.
	for _, s := range x.slots {
		if s.kind == depot && !s.deleted {
			one := x.run(t, r, "state", "show", "depot", s.name, "--namespace", x.namespace,
				"--show-sensitive", "-o", "json")
			var shown struct{ Attributes, Private json.RawMessage }
			if err := json.Unmarshal(one, &shown); err != nil {
				t.Fatal(err)
			}
			out[s.name] = string(shown.Attributes) + string(shown.Private)
		}
	}
	return out
}

// stored returns how many Secrets have records, and how many have parts of them.
func (x *cluster) stored(t *testing.T) (heads, parts int) {
	t.Helper()
	list := &corev1.SecretList{}
	if err := x.List(t.Context(), list, client.InNamespace(clustertest.System)); err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Items {
		switch s.Type {
		case v1alpha1.SecretTypeInstance:
			heads++
		case v1alpha1.SecretTypeInstancePart:
			parts++
		}
	}
	return heads, parts
}

// write is a kind of change of the objects of a resource.
type write struct{ what, name string }

// bounds are how often a write is to happen.
type bounds struct{ least, most int }

// expect says that something is to happen n times until the next judgement.
func (x *cluster) expect(s *slot, what string, n int) {
	b := x.want[write{what, s.name}]
	x.want[write{what, s.name}] = bounds{b.least + n, b.most + n}
}

// allow says that something may happen once more until the next judgement.
func (x *cluster) allow(s *slot, what string) {
	b := x.want[write{what, s.name}]
	x.want[write{what, s.name}] = bounds{b.least, b.most + 1}
}

// changes are the events of the cloud that write objects.
var changes = []string{"creates", "updates", "deletes"}

// judge compares the events of the cloud since the last judgement with what was to happen, and the
// objects with what is declared.
func (x *cluster) judge(t *testing.T, when string) {
	t.Helper()
	time.Sleep(2 * poll) // writes that were not asked for would happen at the next polls
	events := x.cloud.Changes(t)
	had := map[write]int{}
	for _, e := range events[x.seen:] {
		name := e.Key[strings.LastIndexByte(e.Key, '/')+1:]
		if slices.Contains(changes, e.What) {
			had[write{e.What, name}]++
		}
		if e.What == "duplicates_ever" && !x.createsFirst(name) {
			found(t, &results.doubled, "%s: %s had two objects at once", when, name)
		}
	}
	x.seen = len(events)
	for w, n := range had {
		if w.what == "updates" && x.neverSettles(w.name) {
			continue
		}
		if most := x.want[w].most; n > most {
			found(t, &results.unasked, "%s: %s: %d %s, and %d were asked for", when, w.name, n, w.what, most)
		}
	}
	for w, b := range x.want {
		if had[w] < b.least {
			found(t, &results.lost, "%s: %s: %d %s, and %d were asked for", when, w.name, had[w], w.what, b.least)
		}
	}
	x.want = map[write]bounds{}
	for _, s := range x.slots {
		s.judge(t, when)
	}
}

func (x *cluster) createsFirst(name string) bool {
	return slices.ContainsFunc(x.slots, func(s *slot) bool { return s.name == name && s.createsFirst })
}

func (x *cluster) neverSettles(name string) bool {
	return slices.ContainsFunc(x.slots, func(s *slot) bool { return s.name == name && s.unsettled })
}

// agree has both releases read all records. They are to read the same, whichever has written it.
func (x *cluster) agree(t *testing.T, when string, releases ...*release) {
	t.Helper()
	if _, parts := x.stored(t); parts == 0 {
		t.Fatal("no state is divided among Secrets")
	}
	var first map[string]string
	for _, r := range releases {
		got := x.decoded(t, r)
		if first == nil {
			first = got
		}
		for _, s := range x.slots {
			// Records of what is under way have what was known before.
			if s.deleted || s.underway {
				continue
			}
			has := got[s.name]
			if s.kind == content && s.kept == "" {
				s.kept = has
			}
			switch {
			case has == "":
				found(t, &results.lost, "%s: %s does not find what is stored of %s", when, r.name, s.name)
			case s.unsettled: // it changes
			case has != first[s.name]: // which may be secret
				found(t, &results.lost, "%s: the releases read different things in what is stored of %s", when, s.name)
			case s.kind == content && has != s.kept:
				found(t, &results.lost, "%s: %s has other bytes", when, s.name)
			}
		}
	}
}
