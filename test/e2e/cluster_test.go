package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

const (
	// poll is the poll interval of controllers in tests.
	poll = time.Second
	// limit bounds each wait of a test.
	limit = waittest.Limit
	// system is the namespace of Landbridge's own objects.
	system = clustertest.System
)

var (
	eventually = waittest.Eventually
	never      = waittest.Never
)

// cluster is an API server in which controllers of this process run.
type cluster struct {
	*clustertest.Cluster
}

// options returns a controller's options. Beside the mirror, it uses the one in which tests
// put releases of their own.
func options(mirror string) controller.Options {
	o := clustertest.Options(poll, filepath.Join(scratch, "cache"), mirror, filepath.Join(scratch, "mirror"))
	o.StartTimeout, o.EventsPerSecond = 10*time.Second, 100
	return o
}

// shared returns the cluster and controller that tests share. It is for tests that do not stop the
// controller, each with provider names and a namespace of its own.
func shared(t *testing.T) *cluster {
	t.Helper()
	t.Parallel()
	everyone.Do(func() {
		c, err := clustertest.New(playgroundtest.Start(t), filepath.Join(scratch, "controller.log"))
		if everyone.err = err; err != nil {
			return
		}
		everyone.cluster = &cluster{c}
		everyone.stop, everyone.err = c.StartController(options(providertest.Mirror(t, "local", "random", "time", "hcloud")))
	})
	if everyone.err != nil {
		t.Fatal(everyone.err)
	}
	t.Cleanup(func() { everyone.cluster.ShowLog(t) })
	return everyone.cluster
}

// alone starts an API server for one test, without a controller.
func alone(t *testing.T) *cluster {
	t.Helper()
	return on(t, playgroundtest.New(t, playgroundtest.Options{}))
}

// on returns the cluster of a server, without a controller.
func on(t *testing.T, server *playgroundtest.Server) *cluster {
	t.Helper()
	c, err := clustertest.New(server, filepath.Join(directory(t), "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{c}
}

// beside returns the same cluster for another controller, with a log of its own.
func (c *cluster) beside(t *testing.T) *cluster {
	t.Helper()
	other := *c.Cluster
	other.Log = filepath.Join(directory(t), "controller.log")
	return &cluster{&other}
}

// manifests reads the objects of a file under examples.
func manifests(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	return clustertest.Manifests(t, filepath.Join(root, "examples", filepath.FromSlash(path)))
}

// directory returns a new directory that exists until all tests have ended.
func directory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Join(scratch, "files"), "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func set(t *testing.T, u *unstructured.Unstructured, value any, path ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
		t.Fatal(err)
	}
}
