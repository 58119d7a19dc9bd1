package e2e_test

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// tour is a running `playground up`, as make up starts it.
type tour struct {
	*cluster
	cmd    *exec.Cmd
	output *bytes.Buffer
	page   string // the address of the page
	ended  chan error
}

func startTour(t *testing.T, data, examples string) *tour {
	t.Helper()
	program, err := testbin.Build(t.Context(), testbin.Playground)
	if err != nil {
		t.Fatal(err)
	}
	out := &tour{output: &bytes.Buffer{}, ended: make(chan error, 1)}
	out.cmd = exec.Command(program, "up", "--data", data, "--landbridge", filepath.Join(programs(t), "landbridge"), "--examples", examples,
		"--provider-mirror", providertest.Mirror(t, "random", "local", "time"), "--poll", "2s", "--", "--events-per-second", "100")
	stdout, err := out.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	out.cmd.Stderr = out.output // in the end, and after standard output
	if err := out.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	go func() {
		var said []string
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if address := strings.TrimSpace(lines.Text()); strings.Contains(address, "/?token=") {
				out.page = address
			}
			if said = append(said, lines.Text()); strings.HasPrefix(lines.Text(), "Ctrl-C stops everything") {
				close(ready)
			}
		}
		err := out.cmd.Wait()
		out.output.WriteString(strings.Join(said, "\n"))
		out.ended <- err
	}()
	t.Cleanup(func() { _ = out.cmd.Process.Kill() })
	select {
	case <-ready:
	case err := <-out.ended:
		t.Fatalf("it ended: %v\n%s", err, out.output)
	case <-time.After(10 * time.Minute):
		t.Fatal("it does not say that it is ready")
	}
	kubeconfig := filepath.Join(data, "kubeconfig")
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := clustertest.New(&playgroundtest.Server{Config: config, Kubeconfig: kubeconfig}, filepath.Join(data, "landbridge.log"))
	if err != nil {
		t.Fatal(err)
	}
	out.cluster = &cluster{c}
	return out
}

// stop stops it as Ctrl-C does.
func (x *tour) stop(t *testing.T) {
	t.Helper()
	_ = x.cmd.Process.Signal(syscall.SIGINT)
	if err := <-x.ended; err != nil {
		t.Fatalf("%v\n%s", err, x.output)
	}
}

// `make up` does what it says: its example resources become ready, commands work beside it, and
// what the user changes stays.
func TestUp(t *testing.T) {
	t.Parallel()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	data, examples, files := t.TempDir(), t.TempDir(), directory(t)
	for _, name := range []string{"providers.yaml", "resources.yaml"} {
		content, err := os.ReadFile(filepath.Join(root, "examples", "demo", name))
		if err != nil {
			t.Fatal(err)
		}
		// Others on this machine may run it, too.
		file(t, filepath.Join(examples, name), strings.ReplaceAll(string(content), "/tmp/landbridge-demo", files))
	}
	x := startTour(t, data, examples)
	resources := clustertest.Manifests(t, filepath.Join(examples, "resources.yaml"))
	for _, r := range resources {
		x.MustCreate(t, r)
	}
	for _, r := range resources {
		x.WaitReady(t, r)
	}
	if page, err := http.Get(x.page); err != nil {
		t.Errorf("the page: %v", err)
	} else if page.Body.Close(); page.StatusCode != http.StatusOK {
		t.Errorf("the page at %s: %s", x.page, page.Status)
	}
	random, localProvider := terraformProvider("random", ""), terraformProvider("local", "")
	x.MustGet(t, random)
	if sources, _ := objecttest.At(random, "status", "sources").([]any); len(sources) != 1 ||
		sources[0].(m)["type"] != registry.FilesystemMirror || sources[0].(m)["path"] != providertest.Mirror(t) {
		t.Errorf("status.sources: %v", sources)
	}
	if random.GetAnnotations()["kubectl.kubernetes.io/last-applied-configuration"] == "" {
		t.Error("kubectl apply would warn")
	}

	// The provider local cannot be found by commands, which do not need it.
	x.MustPatch(t, localProvider, `{"spec":{"source":"/none/terraform-provider-local_v2.5.3","version":null}}`)
	password := filepath.Join(t.TempDir(), "password.yaml")
	file(t, password, "apiVersion: random.landbridge.io/v1alpha1\nkind: Password\nmetadata: {name: second, "+
		"namespace: default}\nspec: {forProvider: {length: 8}}\n")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"diff":       {[]string{"diff", "-f", password}, "1 to add"},
		"state show": {[]string{"state", "show", "password", "database", "-n", "default"}, "random_password"},
		"import":     {[]string{"import", "random_pet", "--id", "web-a-b", "-n", "default"}, ""},
		"discover":   {[]string{"discover", "random_*"}, "cannot be listed"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), filepath.Join(programs(t), "landbridge"), test.args...)
			cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(data, "kubeconfig"))
			out, _ := cmd.CombinedOutput()
			if text := string(out); !strings.Contains(text, test.want) ||
				strings.Contains(text, "--provider-mirror") || strings.Contains(text, "/none/") {
				t.Errorf("%s", text)
			}
		})
	}

	x.MustPatch(t, random, `{"spec":{"version":"~> 3.6"}}`)
	x.MustPatch(t, localProvider, `{"spec":{"source":"hashicorp/local"}}`)
	for _, r := range resources {
		if r.GroupVersionKind().Group == "time.landbridge.io" {
			x.Remove(t, r)
		}
	}
	timeProvider := terraformProvider("time", "")
	x.Remove(t, timeProvider)
	x.stop(t)

	x = startTour(t, data, examples)
	x.MustGet(t, random)
	if got := text(random, "spec", "version"); got != "~> 3.6" {
		t.Errorf("a restart made the version %q", got)
	}
	if err := x.Get(t.Context(), client.ObjectKeyFromObject(timeProvider), timeProvider); !kerrors.IsNotFound(err) {
		t.Errorf("a restart installed the provider that was deleted (%v)", err)
	}
	// The controller works again, so that it stops in order.
	x.MustPatch(t, random, `{"spec":{"version":"~> 3.5"}}`)
	x.WaitFor(t, random, "healthy", func() bool { return isTrue(random, "Installed", "Healthy") && current(random) })
	x.stop(t)
	if !strings.Contains(x.output.String(), "3 of 3 TerraformProviders were installed before") {
		t.Errorf("%s", x.output)
	}
}
