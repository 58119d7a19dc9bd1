package kinds_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

const landbridge = "landbridge.io/v1alpha1"

// m is a JSON object.
type m = map[string]any

var (
	object = objecttest.New
	text   = objecttest.Text
	at     = objecttest.At
)

// scratch is a directory of this test binary.
var scratch string

func TestMain(main *testing.M) {
	code := clustertest.Suite{
		Name: "kinds", Parallel: 8,
		Begin: func(dir string) error { scratch = dir; return os.Mkdir(filepath.Join(dir, "files"), 0o755) },
		Log:   func() string { return filepath.Join(scratch, "controller.log") },
		End: func() error {
			if shared.stop == nil {
				return nil
			}
			return shared.stop()
		},
	}.Run(main)
	if code != 0 && results.failed == 0 {
		results.failed = 1 // before anything was tried
	}
	fmt.Println(results.line())
	os.Exit(code)
}

// cluster is an API server with a controller and a cloud.
type cluster struct {
	*clustertest.Cluster
	cloud   *examplecloudtest.Cloud
	options controller.Options
	// stop ends the controller.
	stop func() error
}

// restart replaces the controller by another one.
func (x *cluster) restart(t *testing.T) {
	t.Helper()
	if err := x.stop(); err != nil {
		t.Fatal(err)
	}
	var err error
	if x.stop, err = x.StartController(x.options); err != nil {
		t.Fatal(err)
	}
}

// shared is the cluster of all tests.
var shared struct {
	sync.Mutex
	*cluster
	stop func() error
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster != nil {
		return shared.cluster
	}
	c, err := clustertest.New(playgroundtest.Start(t), filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	c.Verbosity = 1
	cloud, stopCloud, err := examplecloudtest.Run(context.WithoutCancel(t.Context()), scratch)
	if err != nil {
		t.Fatal(err)
	}
	options := clustertest.Options(time.Second, filepath.Join(scratch, "cache"), providertest.Mirror(t, "local"))
	stop, err := c.StartController(options)
	if err != nil {
		t.Fatal(errors.Join(err, stopCloud()))
	}
	x := &cluster{c, cloud, options, stop}
	shared.cluster, shared.stop = x, func() error { return errors.Join(x.stop(), stopCloud()) }
	return shared.cluster
}

func group(name string) string { return name + ".landbridge.io" }

// install installs a provider with all of its data sources, ephemeral resources and actions.
func (x *cluster) install(t *testing.T, name, source string, spec m) {
	t.Helper()
	spec["source"], spec["group"], spec["activateDataSources"], spec["activateEphemeralResources"] = source,
		group(name), []any{"*"}, []any{"*"}
	spec["activateActions"] = []any{"*"}
	p := object(landbridge, "TerraformProvider", "", name, spec)
	x.MustCreate(t, p)
	x.WaitFor(t, p, "healthy", func() bool { return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
}
