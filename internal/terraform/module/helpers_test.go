package module_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// racks is a module of objects with an identity that is known before they are created.
const racks = `
terraform {
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
  }
}

variable "names" { type = set(string) }

variable "size" {
  type    = number
  default = 1
}

resource "examplecloud_datastore" "rack" {
  for_each         = var.names
  name             = each.key
  hci_cluster_uuid = "c-1"
  capacity_gib     = var.size
  cluster_info     = { id = "c", name = "north" }
}
`

// estate is a module of examplecloud_datastore, and the program that carries it out.
type estate struct {
	testing.TB
	runner *commandline.Runner
	dir    string
	module *module.Module
	cloud  *examplecloudtest.Cloud
	server provider.Server
}

// openTofu returns the command line of the tests.
func openTofu(t testing.TB) *commandline.Program {
	t.Helper()
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	program, err := commandline.Find(t.Context(), tofu)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func newEstate(t testing.TB, o commandline.Options) *estate {
	t.Helper()
	return newEstateOf(t, racks, o)
}

func newEstateOf(t testing.TB, source string, o commandline.Options) *estate {
	t.Helper()
	program := openTofu(t)
	dir, err := os.MkdirTemp("", "lb-") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o.Program, o.Dir = program, dir
	runner, err := commandline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	m, diags := module.Fetch(t.Context(), runner, module.Source{Files: map[string][]byte{"main.tf": []byte(source)}},
		filepath.Join(t.TempDir(), "module"), "racks")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e := &estate{TB: t, runner: runner, dir: dir, module: m, cloud: examplecloudtest.Start(t)}
	_, e.server = examplecloudtest.Open(t, examplecloudtest.Framework6, e.cloud, nil)
	return e
}

// executor returns an executor whose calls of the provider go through a server. Its objects are
// visible at once.
func (e *estate) executor(s provider.Server) *module.Executor {
	return module.New(e.runner, e.module, map[string]provider.Server{"landbridge/examplecloud": s}).WithCreationGracePeriod(-1)
}

func (e *estate) resource() terraform.ResourceType {
	return terraform.ResourceType{Schema: e.module.Resource}
}

func (e *estate) config(size int64, names ...string) terraform.Config {
	set := make([]cty.Value, len(names))
	for i, name := range names {
		set[i] = cty.StringVal(name)
	}
	return terraform.Config{Value: cty.ObjectVal(map[string]cty.Value{"names": cty.SetVal(set), "size": cty.NumberIntVal(size)})}
}

func (e *estate) plan(x *module.Executor, in instance.Instance, c terraform.Config) terraform.Plan {
	e.Helper()
	p, diags := x.Plan(e.Context(), e.resource(), in, c)
	if diags.HasErrors() {
		e.Fatal(diags)
	}
	return p
}

// watched is a provider whose changes a test carries out in its own way.
type watched struct {
	provider.Server
	apply func(context.Context, *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error)
}

// ApplyResourceChange implements tfprotov6.ProviderServer.
func (w *watched) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return w.apply(ctx, q)
}

// recording is a function that keeps the last journal.
type recording struct {
	mu   sync.Mutex
	last []byte
}

func (r *recording) record(journal []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = journal
	return nil
}

// nameOf returns the name of the object that is to be created.
func nameOf(q *tfprotov6.ApplyResourceChangeRequest) string {
	for _, name := range []string{"a", "b"} {
		if bytes.Contains(q.PlannedState.MsgPack, []byte{0xa4, 'n', 'a', 'm', 'e', 0xa1, name[0]}) {
			return name
		}
	}
	return ""
}
