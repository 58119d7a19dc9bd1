package architecture_test

import (
	"strings"
	"testing"
)

// heavy modules live in nested modules only: whoever uses Landbridge as a
// library must not get them into the module graph.
var heavy = []string{
	"github.com/go-git/go-git",
	"github.com/hashicorp/terraform",
	"github.com/hashicorp/terraform-plugin-framework",
	"github.com/hashicorp/terraform-plugin-sdk",
	"github.com/opentofu/opentofu",
	"k8s.io/kubernetes",
}

func TestRootModuleStaysLean(t *testing.T) {
	modules := strings.Fields(string(goCommand(t, "list", "-m", "-f", "{{.Path}}", "all")))
	if len(modules) < 20 {
		t.Fatalf("only %d modules found", len(modules))
	}
	for _, module := range modules {
		for _, path := range heavy {
			if within(module, path) {
				t.Errorf("the root module depends on %s: keep what needs it in a nested module (go mod why -m %s)", module, module)
			}
		}
		if strings.Contains(module, "/terraform-provider-") {
			t.Errorf("the root module depends on a provider, %s", module)
		}
	}
}
