package upgrades_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// releases returns a mirror with the releases of examplecloud, and a directory with their programs.
func releases(t *testing.T) (mirror, programs string) {
	t.Helper()
	mirror, programs = t.TempDir(), t.TempDir()
	for release := 1; release <= 3; release++ {
		binary := examplecloudtest.Release(t, examplecloudtest.Framework6, release)
		name := fmt.Sprintf("terraform-provider-examplecloud_v%d.0.0", release)
		err := os.Symlink(binary, filepath.Join(programs, name))
		for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
			dir := filepath.Join(mirror, host, "landbridge-io", "examplecloud", fmt.Sprintf("%d.0.0", release), runtime.GOOS+"_"+runtime.GOARCH)
			err = errors.Join(err, os.MkdirAll(dir, 0o755), os.Link(binary, filepath.Join(dir, name)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return mirror, programs
}

// The page on upgrades is executed and must match.
func TestUpgradesPage(t *testing.T) {
	server := playgroundtest.New(t, playgroundtest.Options{}) // the page lists what is in the cluster
	c, err := clustertest.New(server, filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	mirror, dir := releases(t)
	c.RunController(t, clustertest.Options(time.Hour, filepath.Join(scratch, "cache"), mirror))
	programs := t.TempDir()
	for name, target := range map[string]testbin.Target{"landbridge": testbin.Landbridge, "kubectl": testbin.Kubectl} {
		path, err := testbin.Build(t.Context(), target)
		if err == nil {
			err = os.Symlink(path, filepath.Join(programs, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cloud := examplecloudtest.Start(t)
	doctest.Test(t, filepath.Join("..", "..", "docs", "upgrades.md"), doctest.Options{
		Dir: dir, Timeout: 10 * time.Minute,
		Env:     []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig},
		Replace: map[string]string{"http://127.0.0.1:8480": cloud.URL},
	})
	if a := cloud.Audit(t); a.Creates != 4 || a.Updates > 0 || a.Deletes != 2 {
		t.Errorf("%+v", a)
	}
}
