package conformance_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/controllertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/conformance"
)

const (
	// system is the namespace of Landbridge's own objects.
	system = "landbridge-system"
	// poll is how often the controller looks at what has not changed.
	poll = 500 * time.Millisecond
	// limit is how long anything that should happen may take.
	limit = time.Minute
)

// m is an object in JSON.
type m = map[string]any

var (
	object    = objecttest.New
	text      = objecttest.Text
	condition = objecttest.Condition
	isTrue    = objecttest.IsTrue
	current   = objecttest.Current
)

// cluster is an API server with a controller that has all ways of execution.
type cluster struct {
	client.Client
	secrets *store.Secrets
}

var everyone struct {
	sync.Once
	cluster *cluster
	stop    func() error
	err     error
}

// shared is the cluster of this test binary.
func shared(t *testing.T) *cluster {
	t.Helper()
	everyone.Do(func() {
		everyone.cluster, everyone.stop, everyone.err = start(t, playgroundtest.Start(t), commandLine(conformance.OpenTofu))
	})
	if everyone.err != nil {
		t.Fatal(everyone.err)
	}
	return everyone.cluster
}

func commandLine(way conformance.Way) *terraformprovider.CommandLine {
	return &terraformprovider.CommandLine{Program: runners[way].Program().Path}
}

// start starts a controller, with a program for the command line. Its workspaces are in a directory of its
// own, unless line says where.
func start(t *testing.T, server *playgroundtest.Server, line *terraformprovider.CommandLine) (*cluster, func() error, error) {
	ctrl.SetLogger(logr.Discard())
	c := &cluster{}
	var err error
	if c.Client, err = client.New(server.Config, client.Options{}); err != nil {
		return nil, nil, err
	}
	kube, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		return nil, nil, err
	}
	c.secrets = &store.Secrets{Client: kube.CoreV1().Secrets(system)}
	scratch, err := os.MkdirTemp("", "lb-")
	if err != nil {
		return nil, nil, err
	}
	if line.Dir == "" {
		line.Dir = scratch
	}
	o := controller.Options{
		Namespace: system,
		Installer: &install.Installer{CacheDir: filepath.Join(scratch, "cache"), Mirrors: []string{mirror(t, filepath.Join(scratch, "mirror")), providertest.Mirror(t, "random")}},
		Poll:      poll, Workers: 10, StartTimeout: 30 * time.Second,
		ReconcileTimeout: time.Minute, OperationTimeout: 10 * time.Minute, OperationsPerConfiguration: 100,
		GracePeriod: limit, EventsPerSecond: 1000, MetricsAddress: "0", HealthAddress: "0", ProfileAddress: "0",
		Logger:      logr.Discard(),
		CommandLine: line,
	}
	for _, form := range examplecloudtest.Forms {
		o.Linked = append(o.Linked, terraformprovider.Linked{
			Source: "landbridge-io/" + form, Version: release.Latest.String(),
			Launcher: launcher(t, form, conformance.InProcess, release.Latest),
		})
	}
	stop := controllertest.Run(server.Config, o, 2*limit)
	return c, func() error {
		defer os.RemoveAll(scratch)
		err := stop()
		left, more := filepath.Glob(filepath.Join(line.Dir, "landbridge-cli-*"))
		if len(left) > 0 {
			err = errors.Join(err, fmt.Errorf("left behind: %q", left))
		}
		return errors.Join(err, more)
	}, nil
}

// mirror has each form of the provider as a provider of its own.
func mirror(t *testing.T, dir string) string {
	t.Helper()
	version := release.Latest.String()
	for _, form := range examplecloudtest.Forms {
		in := filepath.Join(dir, "registry.terraform.io", "landbridge-io", form, version, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(in, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(examplecloudtest.Provider(t, form), filepath.Join(in, "terraform-provider-"+form+"_v"+version)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (c *cluster) namespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{}
	ns.GenerateName = "test-"
	if err := c.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	return ns.Name
}

// create makes an object; it waits until its kind is served.
func (c *cluster) create(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	c.eventually(t, "created "+u.GetName(), func() (string, bool) {
		err := c.Create(t.Context(), u)
		return fmt.Sprint(err), err == nil
	})
}

func (c *cluster) patch(t *testing.T, u *unstructured.Unstructured, patch string) {
	t.Helper()
	if err := c.Patch(t.Context(), u, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// waitFor waits until an object is as it should be.
func (c *cluster) waitFor(t *testing.T, u *unstructured.Unstructured, what string, ok func() bool) {
	t.Helper()
	c.eventually(t, what, func() (string, bool) {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			return err.Error(), false
		}
		return fmt.Sprint(u.Object["status"]), ok()
	})
}

func (c *cluster) eventually(t *testing.T, what string, f func() (state string, ok bool)) {
	t.Helper()
	var state string
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var ok bool
		if state, ok = f(); ok {
			return
		}
	}
	t.Fatalf("never %s: %s", what, state)
}

// gone deletes an object and waits until it is.
func (c *cluster) gone(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	if err := c.Delete(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	c.eventually(t, "gone "+u.GetName(), func() (string, bool) {
		err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u)
		return fmt.Sprint(err, u.Object["status"]), client.IgnoreNotFound(err) == nil && err != nil
	})
}

// stored is what is stored of a resource.
func (c *cluster) stored(t *testing.T, u *unstructured.Unstructured, r *schema.Resource) instance.Instance {
	t.Helper()
	gvk := u.GroupVersionKind()
	rec, err := c.secrets.Load(t.Context(), store.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}, r)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Instance
}
