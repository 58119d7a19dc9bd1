package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// What the sandbox refuses is a condition that names the path and the field that permits it,
// whichever way the provider runs.
func TestSandboxRefusals(t *testing.T) {
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	t.Parallel()
	c := alone(t)
	c.RunController(t, moduleOptions(t, providertest.Mirror(t, "local")))
	own := terraformProvider("local", "hashicorp/local", "local_file")
	cli := terraformProvider("cli", "hashicorp/local", "local_file")
	set(t, cli, "CLI", "spec", "execution")
	set(t, cli, "cli.landbridge.io", "spec", "group")
	for _, p := range []*unstructured.Unstructured{own, cli} {
		c.install(t, p)
	}
	dir, outside := directory(t), directory(t)
	file(t, filepath.Join(dir, "main.tf"), `
terraform {
  required_providers {
    local = {
      source = "hashicorp/local"
    }
  }
}

variable "path" { type = string }

resource "local_file" "this" {
  filename = var.path
  content  = "x"
}
`)
	module := resource("landbridge.io/v1alpha1", "TerraformModule", "", "note", m{
		"allow": []any{"Files"}, "source": m{"directory": dir}, "providers": m{"hashicorp/local": "local"},
	})
	c.MustCreate(t, module)
	c.healthy(t, module)

	ns := c.Namespace(t)
	path := func(name string) string { return filepath.Join(outside, name, "file") }
	for name, r := range map[string]*unstructured.Unstructured{
		"native": resource(local, "File", ns, "native", m{"forProvider": m{"filename": path("native"), "content": "x"}}),
		"cli":    resource("cli.landbridge.io/v1alpha1", "File", ns, "cli", m{"forProvider": m{"filename": path("cli"), "content": "x"}}),
		"module": resource(modulesAPI, "Note", ns, "module", m{"forProvider": m{"path": path("module")}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.MustCreate(t, r)
			folder := filepath.Dir(path(name))
			want := "does not permit writing " + folder + ": add " + folder + " to spec.sandbox.writePaths"
			c.WaitFor(t, r, "refused by the sandbox", func() bool {
				_, _, last := condition(r, "LastAsyncOperation")
				_, _, synced := condition(r, "Synced")
				return strings.Contains(strings.Join(strings.Fields(last+" "+synced), " "), want)
			})
		})
	}
}
