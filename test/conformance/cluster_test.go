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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// poll is the controller's poll interval.
const poll = 500 * time.Millisecond

// m is a JSON object.
type m = map[string]any

var (
	object    = objecttest.New
	text      = objecttest.Text
	condition = objecttest.Condition
	isTrue    = objecttest.IsTrue
	current   = objecttest.Current
)

// cluster is an API server with a controller that supports all ways of execution.
type cluster struct {
	*clustertest.Cluster
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

func commandLine(way conformance.Way) *kinds.CommandLine {
	return &kinds.CommandLine{Program: runners[way].Program().Path}
}

// start starts a controller, with a program for the command line. Its workspaces are in a new
// directory unless line specifies one.
func start(t *testing.T, server *playgroundtest.Server, line *kinds.CommandLine) (*cluster, func() error, error) {
	ctrl.SetLogger(logr.Discard())
	c := &cluster{}
	var err error
	if c.Cluster, err = clustertest.New(server, ""); err != nil {
		return nil, nil, err
	}
	kube, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		return nil, nil, err
	}
	c.secrets = &store.Secrets{Client: kube.CoreV1().Secrets(clustertest.System)}
	scratch, err := os.MkdirTemp("", "lb-")
	if err != nil {
		return nil, nil, err
	}
	if line.Dir == "" {
		line.Dir = scratch
	}
	o := clustertest.Options(poll, filepath.Join(scratch, "cache"), mirror(t, filepath.Join(scratch, "mirror")),
		providertest.Mirror(t, "random", "kubernetes", "null", "tls", "http", "cloudflare"))
	o.CommandLine = line
	for _, form := range examplecloudtest.Forms {
		o.Linked = append(o.Linked, terraformprovider.Linked{
			Source: "landbridge-io/" + form, Version: release.Latest.String(),
			Launcher: launcher(t, form, conformance.InProcess, release.Latest),
		})
	}
	stop, err := c.StartController(o)
	return c, func() error {
		defer os.RemoveAll(scratch)
		err := stop()
		left, more := filepath.Glob(filepath.Join(line.Dir, "landbridge-cli-*"))
		if len(left) > 0 {
			err = errors.Join(err, fmt.Errorf("left behind: %q", left))
		}
		return errors.Join(err, more)
	}, err
}

// mirror has each form of the provider as a separate provider.
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

// stored returns the stored state of a resource.
func (c *cluster) stored(t *testing.T, u *unstructured.Unstructured, r *schema.Resource) instance.Instance {
	t.Helper()
	gvk := u.GroupVersionKind()
	rec, err := c.secrets.Load(t.Context(), store.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}, r)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Instance
}
