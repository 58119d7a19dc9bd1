package behaviour_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/framework"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/sdkv2"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

const (
	// system is the namespace of Landbridge's own objects.
	system = clustertest.System
	// sourceNamespace is the namespace in the providers' addresses.
	sourceNamespace = "landbridge-io"
	// poll is the controller's poll interval. Tests that need an earlier reconcile request one.
	poll = 5 * time.Second
	// limit bounds each wait of a test.
	limit = waittest.Limit
)

var releases = []release.Release{release.BeforeIdentity, release.V0, release.V1, release.V2, release.Mistaken}

// providerName returns the provider's type in its address and in the API group of its
// kinds. Each use of a column has its own providers, so that they do not conflict.
func providerName(c behaviour.Column, use string) string { return c.Name() + use }

// Uses of columns that have their own providers. All other tests share one.
const (
	common    = ""
	history   = "-history"
	admission = "-admission"
	linkedUse = "-linked"
)

var uses = []string{common, history, admission, linkedUse}

// environment is an API server and a controller with all providers, which all tests share.
type environment struct {
	*clustertest.Cluster
	stop func() error
}

// everyone is the shared environment, once it is started.
var everyone struct {
	sync.Once
	environment *environment
	err         error
}

// shared returns the environment of this test binary.
func shared(t *testing.T) *environment {
	t.Helper()
	everyone.Do(func() { everyone.environment, everyone.err = start(t) })
	if everyone.err != nil {
		t.Fatal(everyone.err)
	}
	return everyone.environment
}

// mirror is the directory of the filesystem mirror.
var mirror = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "mirror")
	return dir, makeMirror(context.Background(), dir)
})

// start starts an API server and a controller in this process.
func start(t *testing.T) (*environment, error) {
	programs, err := mirror()
	if err != nil {
		return nil, err
	}
	c, err := clustertest.New(playgroundtest.Start(t), filepath.Join(scratch, "controller.log"))
	if err != nil {
		return nil, err
	}
	c.Verbosity = 1
	o, err := options(programs)
	if err != nil {
		return nil, err
	}
	stop, err := c.StartController(o)
	return &environment{c, stop}, err
}

// options returns the options of a controller with the providers of all columns.
func options(mirror string) (controller.Options, error) {
	o := clustertest.Options(poll, filepath.Join(scratch, "cache"), mirror)
	tofu, err := testbin.Build(context.Background(), testbin.OpenTofu)
	if err != nil {
		return o, err
	}
	o.CommandLine = &kinds.CommandLine{Program: tofu, Dir: scratch}
	for _, c := range behaviour.Columns() {
		if c.Way != behaviour.InProcess {
			continue
		}
		for _, use := range uses {
			for _, r := range releases {
				o.Linked = append(o.Linked, linked(c, use, r))
			}
		}
	}
	return o, nil
}

// linked returns the provider linked into this program, as generated controllers have it.
func linked(c behaviour.Column, use string, r release.Release) terraformprovider.Linked {
	name := providerName(c, use)
	launcher := &inprocess.Launcher{Name: name + " " + r.String()}
	switch c.Form {
	case provider.SDKv2:
		launcher.Protocol5 = func() (tfprotov5.ProviderServer, error) { return sdkv2.Server(context.Background(), r) }
	case provider.Framework5:
		launcher.Protocol5 = func() (tfprotov5.ProviderServer, error) { return framework.Server5(r), nil }
	case provider.Framework6:
		launcher.Protocol6 = func() (tfprotov6.ProviderServer, error) { return framework.Server6(r), nil }
	}
	return terraformprovider.Linked{Source: sourceNamespace + "/" + name, Version: r.String(), Launcher: launcher}
}

// makeMirror builds the programs of the provider, and creates a mirror in which each column has
// them under its own name.
func makeMirror(ctx context.Context, dir string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, form := range provider.Forms {
		for _, r := range releases {
			group.Go(func() error {
				program, err := build(ctx, form, r)
				if err != nil {
					return err
				}
				for _, name := range programs(form) {
					in := filepath.Join(dir, "registry.terraform.io", sourceNamespace, name, r.String(), runtime.GOOS+"_"+runtime.GOARCH)
					if err := os.MkdirAll(in, 0o755); err != nil {
						return err
					}
					if err := os.Symlink(program, filepath.Join(in, "terraform-provider-"+name+"_v"+r.String())); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	return group.Wait()
}

// programs returns the names of the provider's program for the columns.
func programs(form provider.Form) []string {
	var out []string
	for _, way := range behaviour.Ways(form) {
		if way == behaviour.InProcess {
			continue
		}
		for _, use := range uses {
			out = append(out, providerName(behaviour.Column{Form: form, Way: way}, use))
		}
	}
	return out
}

// build builds the program of one form and release.
func build(ctx context.Context, form provider.Form, r release.Release) (string, error) {
	text := fmt.Sprint(int(r))
	switch r {
	case release.BeforeIdentity:
		text = "pre"
	case release.Mistaken:
		text = "mistaken"
	}
	return testbin.Build(ctx, testbin.Target{
		Module:  "examples/examplecloud",
		Package: "./cmd/terraform-provider-examplecloud-" + string(form),
		Output:  "bin/examplecloud/terraform-provider-examplecloud-" + string(form) + "_v" + r.String(),
		Sources: []string{"examples/examplecloud"},
		LDFlags: "-X github.com/landbridge-io/landbridge/examples/examplecloud/provider/release.linked=" + text,
	})
}

// makeNamespace creates a namespace if it does not exist.
func (e *environment) makeNamespace(t *testing.T, name string) {
	t.Helper()
	ns := &corev1.Namespace{}
	ns.Name = name
	if err := client.IgnoreAlreadyExists(e.Create(t.Context(), ns)); err != nil {
		t.Fatal(err)
	}
}
