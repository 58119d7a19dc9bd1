package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// The page on imports is executed and must match.
func TestImportPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	c.RunController(t, options(directory(t)))
	cloud := examplecloudtest.Start(t)
	cloud.Make(t, "things", m{"name": "Web Server", "region": "eu-central-1", "size": 2, "tags": m{"team": "a"}})
	cloud.Make(t, "things", m{"name": "cache", "region": "us-west-2"})
	for range 2 {
		cloud.Make(t, "things", m{"name": "db", "region": "us-east-1"})
	}
	before := cloud.Audit(t)
	to := newTofu(t, mirrorOf(t, "landbridge-io/examplecloud"), "tofu")
	doctest.Test(t, filepath.Join("..", "..", "docs", "import.md"), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + filepath.Dir(to.program) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig,
			"TF_CLI_CONFIG_FILE=" + to.config, "TF_CLI_ARGS=-no-color", "CHECKPOINT_DISABLE=1",
		},
		Replace: map[string]string{
			"http://127.0.0.1:8480":                                 cloud.URL,
			"/opt/providers/terraform-provider-examplecloud_v3.0.0": examplecloudtest.Provider(t, examplecloudtest.Framework6),
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
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	c.RunController(t, options(directory(t)))
	doctest.Test(t, filepath.Join("..", "..", "docs", "references.md"), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig,
		},
		Replace: map[string]string{
			"http://127.0.0.1:8480":                                 examplecloudtest.Start(t).URL,
			"/opt/providers/terraform-provider-examplecloud_v3.0.0": examplecloudtest.Provider(t, examplecloudtest.Framework6),
		},
	})
}

// The page on GitOps is executed and must match.
func TestGitOpsPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page deletes its provider.
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	c.RunController(t, options(directory(t)))
	cloud := examplecloudtest.Start(t)
	doctest.Test(t, filepath.Join("..", "..", "docs", "gitops.md"), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig,
		},
		Replace: map[string]string{
			"http://127.0.0.1:8480":                                 cloud.URL,
			"/opt/providers/terraform-provider-examplecloud_v3.0.0": examplecloudtest.Provider(t, examplecloudtest.Framework6),
		},
	})
	if a := cloud.Audit(t); a.Live != 0 || a.Creates != 1 {
		t.Errorf("%+v", a)
	}
}

// The page on modules is executed and must match.
func TestModulesPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	c.RunController(t, moduleOptions(t, providertest.Mirror(t, "random")))
	cloud := examplecloudtest.Start(t)
	doctest.Test(t, filepath.Join("..", "..", "docs", "modules.md"), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig,
		},
		Replace: map[string]string{
			"http://127.0.0.1:8480":                                 cloud.URL,
			"/opt/providers/terraform-provider-examplecloud_v3.0.0": examplecloudtest.Provider(t, examplecloudtest.Framework6),
		},
	})
	if a := cloud.Audit(t); a.Live != 0 || a.Creates != 3 {
		t.Errorf("%+v", a)
	}
}

// The page on drift is executed and must match.
func TestDriftPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	c.RunController(t, options(directory(t)))
	cloud := examplecloudtest.Start(t)
	doctest.Test(t, filepath.Join("..", "..", "docs", "drift.md"), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig,
		},
		Replace: map[string]string{
			"http://127.0.0.1:8480":                                 cloud.URL,
			"/opt/providers/terraform-provider-examplecloud_v3.0.0": examplecloudtest.Provider(t, examplecloudtest.Framework6),
		},
	})
	// By the page itself twice, for a tag, for the repair, and to apply it again.
	deadline := time.Now().Add(time.Minute)
	for a := cloud.Audit(t); a.Creates != 1 || a.Updates != 5; a = cloud.Audit(t) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", a)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// The page on plans is executed and must match.
func TestPlansPage(t *testing.T) {
	t.Parallel()
	// Not shared: policies apply to the whole cluster.
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	o := options(directory(t))
	o.Admission = &admission.Options{Port: clustertest.FreePort(t), Service: crd.Service{Namespace: system, Name: "landbridge"}, Host: "localhost"}
	c.RunController(t, o)
	doctest.Test(t, filepath.Join("..", "..", "docs", "plans.md"), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig,
		},
		Replace: map[string]string{
			"http://127.0.0.1:8480":                                 examplecloudtest.Start(t).URL,
			"/opt/providers/terraform-provider-examplecloud_v3.0.0": examplecloudtest.Provider(t, examplecloudtest.Framework6),
		},
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

// The tutorial is executed and must match: with random, and with hashicorp/kubernetes for another API server.
func TestTutorialPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	server, other := playgroundtest.New(t, playgroundtest.Options{}), playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	c.RunController(t, options(providertest.Mirror(t, "random", "kubernetes")))
	doctest.Test(t, filepath.Join("..", "..", "docs", "tutorial.md"), doctest.Options{
		Env: []string{
			"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig,
			"LANDBRIDGE_PROVIDER_MIRROR=" + providertest.Mirror(t),
		},
		Replace: map[string]string{
			"https://other.example.org:6443": other.Config.Host,
			"/etc/other.kubeconfig":          other.Kubeconfig,
		},
		Patterns: map[string]string{"<age>": `[0-9]+[smh]([0-9]+s)?`},
	})
}
