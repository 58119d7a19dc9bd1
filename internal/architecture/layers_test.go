package architecture_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const modulePath = "github.com/landbridge-io/landbridge"

// layers from the top down. A package belongs to the longest path here that is
// its own or leads to it, and imports only from layers below its own; packages
// of one path may import each other, two paths of one layer may not. Drawn and
// explained in docs/architecture.md.
var layers = [][]string{
	{"cmd/landbridge"},
	{"internal/command/mcp"},
	{"internal/command/export", "internal/command/migrate", "internal/command/move", "internal/command/ui"},
	{"internal/command/diff", "internal/command/explain", "internal/command/state", "internal/command/upgrade"},
	{
		"internal/command/cluster", "internal/command/configure", "internal/command/doctor",
		"internal/command/importer", "internal/command/local", "internal/command/logs", "internal/command/repository",
		"internal/command/status", "internal/command/suggest",
	},
	{"internal/command/discover"},
	{"internal/command/graph", "internal/command/stream"},
	{"program", "generate"},
	{"internal/controller", "internal/generator"},
	{"internal/controller/admission", "internal/controller/changelog", "internal/controller/query"},
	{"internal/controller/packaged", "internal/controller/terraformmodule", "internal/controller/terraformprovider"},
	{"internal/controller/upgradepreview"},
	{"internal/controller/kinds", "internal/controller/sharding"},
	{"internal/controller/action", "internal/controller/results"},
	{"internal/controller/unmanaged"},
	{"internal/controller/managed"},
	{"internal/controller/turns"},
	{
		"internal/controller/checkpoint", "internal/controller/conversion", "internal/controller/estatepolicy",
		"internal/controller/halt", "internal/controller/planpolicy", "internal/controller/providerconfig",
		"internal/controller/references", "internal/controller/shard",
	},
	{"internal/controller/informer", "internal/controller/queue"},
	{"internal/scheduler", "internal/trigger", "internal/upgrade"},
	{"internal/scheduler/journal", "internal/scheduler/settling", "internal/scheduler/survey"},
	{"internal/scheduler/decision", "internal/scheduler/keyed", "internal/scheduler/ownership"},
	{"internal/scheduler/brake", "internal/scheduler/store"},
	{"internal/desired", "internal/discovery", "internal/invocation", "internal/policy"},
	{"internal/terraform/module"},
	{"internal/terraform/cli"},
	{"internal/terraform/commandline", "internal/terraform/engine", "internal/terraform/planview"},
	{"internal/terraform"},
	{"internal/provider/sources"},
	{"internal/provider/plugin", "internal/provider/inprocess", "internal/provider/pool", "internal/provider/install"},
	{"internal/provider/cosign"},
	{"internal/provider/checksum", "internal/provider/registry"},
	{"internal/provider"},
	{"internal/evolution"},
	{"internal/crd", "internal/inference", "internal/translate"},
	{"internal/model"},
	{"apis/v1alpha1"},
	{"config"},
	{"internal/instance"},
	{"schema"},
	{"apis"},
	{"internal/diagnostic"},
	{
		"internal/child", "internal/ephemeral", "internal/expression", "internal/faultpoint", "internal/hcltext",
		"internal/history", "internal/inflight", "internal/kubeconfig", "internal/memory", "internal/redact",
		"internal/slots", "internal/tfplugin", "internal/tracing", "internal/version", "internal/wire",
	},
	{"internal/telemetry", "internal/text"},
}

// unseen are packages that use Terraform by the interface of internal/terraform alone. They import
// none of the ways that implement it, so that each can be replaced by another one.
var (
	unseen = []string{"internal/scheduler", "internal/controller/managed", "internal/desired", "internal/policy", "internal/upgrade"}
	ways   = []string{
		"internal/terraform/cli", "internal/terraform/commandline", "internal/terraform/engine", "internal/terraform/module",
		"internal/provider/inprocess", "internal/provider/install", "internal/provider/plugin",
	}
)

// support is for tests alone: it may import anything, and nothing that ships
// imports it.
var support = []string{
	"examples",
	"generate/generatetest",
	"internal/architecture",
	"test/simulation",
	"internal/testing",
	"test",
}

// place is where a package stands.
type place struct {
	layer   int    // index in layers
	path    string // the path in layers that it belongs to
	support bool
}

// placeOf returns the place of a package, given by its path within the module.
func placeOf(pkg string) (place, error) {
	for _, path := range support {
		if within(pkg, path) {
			return place{layer: -1, path: path, support: true}, nil
		}
	}
	best := place{layer: -1}
	for i, paths := range layers {
		for _, path := range paths {
			if within(pkg, path) && len(path) > len(best.path) {
				best = place{layer: i, path: path}
			}
		}
	}
	if best.layer < 0 {
		return place{}, fmt.Errorf("package %s has no layer: give it one in internal/architecture/layers_test.go and docs/architecture.md", pkg)
	}
	return best, nil
}

func within(pkg, path string) bool { return pkg == path || strings.HasPrefix(pkg, path+"/") }

// checkImport returns an error if from must not import to.
func checkImport(from, to string) error {
	f, err := placeOf(from)
	if err != nil {
		return err
	}
	t, err := placeOf(to)
	if err != nil {
		return err
	}
	for _, user := range unseen {
		for _, way := range ways {
			if within(from, user) && within(to, way) {
				return fmt.Errorf("%s imports %s, though it is to see the interface internal/terraform alone", from, to)
			}
		}
	}
	switch {
	case f.support:
		return nil
	case t.support:
		return fmt.Errorf("%s imports %s, which is for tests alone", from, to)
	case t.layer > f.layer, t.path == f.path:
		return nil
	case t.layer == f.layer:
		return fmt.Errorf("%s imports %s, which stands beside it in the same layer", from, to)
	default:
		return fmt.Errorf("%s imports %s, which stands above it", from, to)
	}
}

func TestLayers(t *testing.T) {
	imports := packages(t)
	if len(imports) < len(layers) {
		t.Errorf("only %d packages found", len(imports))
	}
	for from, all := range imports {
		if _, err := placeOf(from); err != nil {
			t.Error(err)
			continue
		}
		for _, to := range all {
			if err := checkImport(from, to); err != nil {
				t.Error(err)
			}
		}
	}
}

// The rule itself, on examples: a test of the tree alone would also pass with a
// rule that allows everything.
func TestCheckImport(t *testing.T) {
	tests := map[string]struct {
		from, to string
		want     string // error; empty: allowed
	}{
		"down":                      {from: "internal/scheduler", to: "internal/terraform"},
		"far down":                  {from: "cmd/landbridge", to: "schema"},
		"child to parent, listed":   {from: "internal/terraform/engine", to: "internal/terraform"},
		"child to parent, unlisted": {from: "internal/terraform/engine/objchange", to: "internal/terraform/engine"},
		"parent to child, unlisted": {from: "internal/terraform/engine", to: "internal/terraform/engine/objchange"},
		"parent to child, listed": {
			from: "internal/terraform", to: "internal/terraform/engine",
			want: "internal/terraform imports internal/terraform/engine, which stands above it",
		},
		"up": {
			from: "internal/model", to: "internal/controller/managed",
			want: "internal/model imports internal/controller/managed, which stands above it",
		},
		"controllers do not know the command line": {
			from: "internal/controller/managed", to: "internal/command/local",
			want: "internal/controller/managed imports internal/command/local, which stands above it",
		},
		"the journal does not know the scheduler": {
			from: "internal/scheduler/journal", to: "internal/scheduler",
			want: "internal/scheduler/journal imports internal/scheduler, which stands above it",
		},
		"the scheduler sees no way of running Terraform": {
			from: "internal/scheduler", to: "internal/terraform/cli",
			want: "internal/scheduler imports internal/terraform/cli, though it is to see the interface internal/terraform alone",
		},
		"nor do the reconcilers": {
			from: "internal/controller/managed", to: "internal/terraform/engine",
			want: "internal/controller/managed imports internal/terraform/engine, though it is to see the interface internal/terraform alone",
		},
		"those who choose the way do": {from: "internal/controller/kinds", to: "internal/terraform/cli"},
		"sideways": {
			from: "internal/crd", to: "internal/translate",
			want: "internal/crd imports internal/translate, which stands beside it in the same layer",
		},
		"modules and providers are apart": {
			from: "internal/controller/terraformmodule", to: "internal/controller/terraformprovider",
			want: "internal/controller/terraformmodule imports internal/controller/terraformprovider, which stands beside it in the same layer",
		},
		"a longer name is another package": {
			from: "internal/crd", to: "internal/models",
			want: "package internal/models has no layer: give it one in internal/architecture/layers_test.go and docs/architecture.md",
		},
		"support to anything": {from: "internal/testing/providertest", to: "internal/scheduler"},
		"anything to support": {
			from: "internal/scheduler", to: "internal/testing/testbin",
			want: "internal/scheduler imports internal/testing/testbin, which is for tests alone",
		},
		"down to the ground": {from: "internal/diagnostic", to: "internal/wire"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got string
			if err := checkImport(test.from, test.to); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("checkImport(%s, %s): -want, +got:\n%s", test.from, test.to, diff)
			}
		})
	}
}

// packages returns every package of the root module with what it imports from
// the same module, both by their path within it.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(goCommand(t, "list", "-e", "-json=ImportPath,Imports", "./...")))
	all := map[string][]string{}
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		var imports []string
		for _, path := range p.Imports {
			if path, ok := strings.CutPrefix(path, modulePath+"/"); ok {
				imports = append(imports, path)
			}
		}
		all[strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, modulePath), "/")] = imports
	}
}

// goCommand returns what the go command prints in the repository's root.
func goCommand(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root(t)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0") // as the programs, so that nothing is compiled once more
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}
