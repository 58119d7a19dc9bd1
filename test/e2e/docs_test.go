package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// The page on imports is executed and must match.
func TestImportPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	server := playgroundtest.New(t, playgroundtest.Options{})
	mirror := mirrorOf(t, "landbridge-io/examplecloud")
	c := on(t, server)
	c.RunController(t, options(mirror))
	cloud := examplecloudtest.Start(t)
	cloud.Make(t, "things", m{"name": "Web Server", "region": "eu-central-1", "size": 2, "tags": m{"team": "a"}})
	cloud.Make(t, "things", m{"name": "cache", "region": "us-west-2"})
	for range 2 {
		cloud.Make(t, "things", m{"name": "db", "region": "us-east-1"})
	}
	before := cloud.Audit(t)
	to := newTofu(t, mirror, "tofu")
	doctest.Test(t, filepath.Join("..", "..", "docs", "import.md"), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + filepath.Dir(to.program) + ":" + os.Getenv("PATH"),
			"KUBECONFIG=" + server.Kubeconfig, "LANDBRIDGE_PROVIDER_MIRROR=" + mirror,
			"TF_CLI_CONFIG_FILE=" + to.config, "TF_CLI_ARGS=-no-color", "CHECKPOINT_DISABLE=1",
		},
		Replace: map[string]string{
			"http://127.0.0.1:8480": cloud.URL,
		},
	})
	after := cloud.Audit(t)
	if after.Creates != before.Creates+3 || after.Updates != before.Updates || after.Deletes != before.Deletes {
		t.Errorf("the imports changed something: before %+v, after %+v", before, after)
	}
	for _, x := range []struct{ kind, name string }{{"Thing", "web"}, {"Thing", "cache"}, {"Credential", "api"}, {"IDImport", "note"}} {
		c.untouched(t, resource("examplecloud.landbridge.io/v1alpha1", x.kind, "team-a", x.name, nil))
	}
}

// The page on references is executed and must match.
func TestReferencesPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	runPage(t, "references.md", examplecloudtest.Start(t).URL, nil)
}

// The page on GitOps is executed and must match.
func TestGitOpsPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page deletes its provider.
	cloud := examplecloudtest.Start(t)
	runPage(t, "gitops.md", cloud.URL, nil)
	if a := cloud.Audit(t); a.Live != 0 || a.Creates != 1 {
		t.Errorf("%+v", a)
	}
}

// The page on queries is executed and must match.
func TestQueriesPage(t *testing.T) {
	t.Parallel()
	// Not shared: the policy of the page judges all queries.
	cloud := examplecloudtest.Start(t)
	cloud.Make(t, "things", m{"name": "web", "region": "eu-central-1", "size": 2})
	cloud.Make(t, "things", m{"name": "cache", "region": "eu-central-1", "size": 9})
	before := cloud.Audit(t)
	runPage(t, "queries.md", cloud.URL, nil)
	if after := cloud.Audit(t); after.Creates != before.Creates || after.Updates != before.Updates || after.Deletes != before.Deletes {
		t.Errorf("queries changed something: before %+v, after %+v", before, after)
	}
}

// The page on actions is executed and must match.
func TestActionsPage(t *testing.T) {
	t.Parallel()
	// Not shared: the provider of the page has other kinds.
	cloud := examplecloudtest.Start(t)
	runPage(t, "actions.md", cloud.URL, nil)
	if n := len(cloud.List(t, "snapshots", "label=www")); n != 1 {
		t.Errorf("%d snapshots of the resource's action", n)
	}
}

// The page on drift is executed and must match.
func TestDriftPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	cloud := examplecloudtest.Start(t)
	runPage(t, "drift.md", cloud.URL, nil)
	// By the page itself twice, for a tag, for the repair, and to apply it again.
	eventually(t, "one create and five updates are counted", func(context.Context) bool {
		a := cloud.Audit(t)
		return a.Creates == 1 && a.Updates == 5
	})
}

// The page on change records is executed and must match.
func TestHistoryPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	runPage(t, "history.md", examplecloudtest.Start(t).URL, map[string]string{"<time>": `[0-9-]+T[0-9:]+Z`, "<took>": `[0-9.]+m?s`})
}

// The page on the page of landbridge ui is executed and must match.
func TestUIPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page shows what is in the cluster.
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	c.RunController(t, options(directory(t)))
	doctest.Test(t, filepath.Join("..", "..", "docs", "ui.md"), doctest.Options{
		Env:     []string{"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig},
		Replace: map[string]string{"8090": strconv.Itoa(clustertest.FreePort(t))},
	})
}

// runPage executes a page of docs, with a cluster and a controller of its own, against a cloud.
func runPage(t *testing.T, name, cloud string, patterns map[string]string) {
	t.Helper()
	server := playgroundtest.New(t, playgroundtest.Options{})
	mirror := mirrorOf(t, "landbridge-io/examplecloud")
	on(t, server).RunController(t, options(mirror))
	doctest.Test(t, filepath.Join("..", "..", "docs", name), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig, "LANDBRIDGE_PROVIDER_MIRROR=" + mirror,
		},
		Replace:  map[string]string{"http://127.0.0.1:8480": cloud},
		Patterns: patterns,
	})
}

// programs returns a directory with the programs that pages use.
func programs(t *testing.T) string {
	t.Helper()
	dir := directory(t)
	for name, target := range map[string]testbin.Target{"landbridge": testbin.Landbridge, "kubectl": testbin.Kubectl} {
		path, err := testbin.Build(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
