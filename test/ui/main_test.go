package ui_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// m is a JSON object.
type m = map[string]any

var (
	// scratch is a directory of this test binary.
	scratch string
	// chromium is the path of the browser.
	chromium string
	results  tally
)

func TestMain(main *testing.M) {
	code := clustertest.Suite{
		Name: "ui", Parallel: 1,
		Begin: func(dir string) (err error) {
			scratch = dir
			chromium, err = installed()
			return err
		},
		Log: func() string { return filepath.Join(scratch, "controller.log") },
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

// installed returns the path of Chromium. It is installed if it is absent.
func installed() (string, error) {
	if path, err := exec.LookPath("chromium"); err == nil {
		return path, nil
	}
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"}} {
		cmd := exec.Command("apt-get", args...)
		cmd.Env = append(cmd.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("there is no chromium, and it cannot be installed: %w. Install it\n%s", err, out)
		}
	}
	return exec.LookPath("chromium")
}

// tally counts what was tried and what was found.
type tally struct {
	flows, views, violations, failed int
}

// line returns the closing line.
func (r *tally) line() string {
	return fmt.Sprintf("ui: %d flows, %d views, %d accessibility violations, %d failed", r.flows, r.views, r.violations, r.failed)
}

// flow counts a flow, and its failure when its test ends.
func flow(t *testing.T) {
	results.flows++
	t.Cleanup(func() {
		if t.Failed() {
			results.failed++
		}
	})
}

// cluster is an API server with a controller, a cloud and its provider.
type cluster struct {
	*clustertest.Cluster
	server *playgroundtest.Server
	cloud  *examplecloudtest.Cloud
}

// shared is the cluster of all tests.
var shared struct {
	sync.Mutex
	*cluster
	stop func() error
}

const group = "cloud.landbridge.io"

func newCluster(t *testing.T) *cluster {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster != nil {
		return shared.cluster
	}
	server := playgroundtest.Start(t)
	c, err := clustertest.New(server, filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	cloud, stopCloud, err := examplecloudtest.Run(context.WithoutCancel(t.Context()), scratch)
	if err != nil {
		t.Fatal(err)
	}
	stop, err := c.StartController(clustertest.Options(2*time.Second, filepath.Join(scratch, "cache")))
	if err != nil {
		t.Fatal(errors.Join(err, stopCloud()))
	}
	shared.cluster, shared.stop = &cluster{c, server, cloud}, func() error { return errors.Join(stop(), stopCloud()) }
	p := objecttest.New("landbridge.io/v1alpha1", "TerraformProvider", "", "cloud", m{
		"source": examplecloudtest.Provider(t, examplecloudtest.Framework6), "group": group, "activate": []any{
			"examplecloud_record", "examplecloud_thing",
		},
	})
	c.MustCreate(t, p)
	c.WaitFor(t, p, "healthy", func() bool { return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
	return shared.cluster
}

// namespace returns a namespace with a provider configuration for the cloud.
func (c *cluster) namespace(t *testing.T) string {
	t.Helper()
	namespace := c.Namespace(t)
	c.MustCreate(t, objecttest.New(group+"/v1alpha1", "ProviderConfig", namespace, "default", m{"endpoint": c.cloud.URL}))
	return namespace
}
