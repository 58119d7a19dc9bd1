package world_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

const (
	landbridge = "landbridge.io/v1alpha1"
	// grace is the grace period after creates, which is longer than anything is hidden, also on a
	// busy machine.
	grace = 2 * examplecloudtest.Window
)

// m is a JSON object.
type m = map[string]any

var (
	object = objecttest.New
	text   = objecttest.Text
)

// cluster is an API server with a controller, a cloud and its providers.
type cluster struct {
	*clustertest.Cluster
	cloud     *examplecloudtest.Cloud
	namespace string
	options   controller.Options
	end       func() error
}

// newCluster starts a controller, and installs the providers for the ways.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	c, err := clustertest.New(playgroundtest.Start(t), filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	c.Verbosity = 1
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	x := &cluster{Cluster: c, cloud: examplecloudtest.Start(t)}
	x.options = clustertest.Options(time.Second, filepath.Join(scratch, "cache"))
	x.options.CreationGracePeriod = grace
	x.options.OperationTimeout = 4 * grace // a failed create is waited for as long
	x.options.CommandLine = &kinds.CommandLine{Program: tofu, Dir: filepath.Join(scratch, "cli")}
	x.begin(t)
	t.Cleanup(func() { x.stop(t) })
	x.namespace = x.Namespace(t)
	for form, name := range map[string]string{sdk: examplecloudtest.SDKv2, framework: examplecloudtest.Framework6} {
		path := filepath.Join(scratch, "terraform-provider-"+form)
		if err := os.Symlink(examplecloudtest.Provider(t, name), path); err != nil {
			t.Fatal(err)
		}
		for execution, group := range map[string]string{"Plugin": form, "CLI": form + "-cli"} {
			x.install(t, group, path, execution)
		}
	}
	for name, source := range modules {
		x.serve(t, name, source)
	}
	return x
}

// begin starts a controller.
func (x *cluster) begin(t *testing.T) {
	t.Helper()
	var err error
	if x.end, err = x.StartController(x.options); err != nil {
		t.Fatal(err)
	}
}

// stop ends the controller.
func (x *cluster) stop(t *testing.T) {
	t.Helper()
	if err := x.end(); err != nil {
		t.Error(err)
	}
}

// restart starts another controller.
func (x *cluster) restart(t *testing.T, poll time.Duration) {
	t.Helper()
	x.stop(t)
	x.options.Poll = poll
	program := x.options.CommandLine
	x.options.CommandLine = &kinds.CommandLine{Program: program.Program, Dir: program.Dir}
	x.begin(t)
}

func group(name string) string { return name + ".landbridge.io" }

func (x *cluster) install(t *testing.T, name, path, execution string) {
	t.Helper()
	var types []any
	for _, k := range kindsOfObjects {
		types = append(types, k.terraform)
	}
	p := object(landbridge, "TerraformProvider", "", name, m{"source": path, "group": group(name), "activate": types, "execution": execution})
	x.MustCreate(t, p)
	x.WaitFor(t, p, "healthy", func() bool { return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
}

// serve makes a kind from a module.
func (x *cluster) serve(t *testing.T, name, source string) {
	t.Helper()
	files := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: name},
		Data:       map[string]string{"main.tf": source},
	}
	if err := x.Create(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	u := object(landbridge, "TerraformModule", "", name, m{
		"source":    m{"configMapRef": m{"namespace": clustertest.System, "name": name}},
		"providers": m{"landbridge/" + sdk: sdk, "landbridge/" + framework: framework},
	})
	x.MustCreate(t, u)
	x.WaitFor(t, u, "ready", func() bool { return objecttest.IsTrue(u, "Ready") })
}

// configure creates the provider configuration of a trial. What is wrong with one does not concern
// the others, so none are equal: nothing is created in a region of its name.
func (x *cluster) configure(t *testing.T, name, group string) {
	t.Helper()
	x.MustCreate(t, object(group+"/v1alpha1", "ProviderConfig", x.namespace, name, m{"endpoint": x.cloud.URL, "region": name}))
}
