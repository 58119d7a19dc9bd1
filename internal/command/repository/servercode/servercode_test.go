package servercode_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/command/repository/servercode"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

const module = "example.org/terraform-provider-cloud"

// newModule makes the module of a provider, with the requirements of the example cloud's. Main
// packages are in cmd, by the name of their file.
func newModule(t *testing.T) string {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "module"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		raw, err := os.ReadFile(filepath.Join(root, "examples", "examplecloud", name))
		if err != nil {
			t.Fatal(err)
		}
		raw = bytes.Replace(raw, []byte("module github.com/landbridge-io/landbridge/examples/examplecloud"), []byte("module "+module), 1)
		if name == "go.mod" {
			raw = append(raw, "\nrequire github.com/hashicorp/terraform-plugin-sdk v0.0.0\nreplace "+
				"github.com/hashicorp/terraform-plugin-sdk => ./oldest\n"...)
		}
		put(t, filepath.Join(dir, name), raw)
	}
	if err := os.CopyFS(filepath.Join(dir, "oldest"), os.DirFS(filepath.Join("testdata", "oldest"))); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "oldest", "go.mod"), []byte("module github.com/hashicorp/terraform-plugin-sdk\n\ngo 1.26.0\n"))
	mains, err := filepath.Glob(filepath.Join("testdata", "main", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range mains {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw = bytes.TrimPrefix(raw, []byte("//go:build ignore\n"))
		put(t, filepath.Join(dir, "cmd", strings.TrimSuffix(filepath.Base(file), ".go"), "main.go"), raw)
	}
	return dir
}

func put(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is written compiles, where it says that it can be.
func TestCode(t *testing.T) {
	t.Parallel()
	dir := newModule(t)
	packages, err := servercode.Load(t.Context(), dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		protocol int // 6 unless set
		// functions of the module; the main package of this name, if there are none.
		functions []string
		parent    string
		want      string // an error
	}{
		"framework": {parent: module},
		"function":  {protocol: 5, parent: module},
		"sdk":       {protocol: 5, parent: module},
		"later":     {protocol: 5, parent: module},
		"mux5":      {protocol: 5, parent: module},
		"mux6":      {parent: module},
		"run":       {protocol: 5, parent: module},
		"helper":    {},
		"parameter": {
			protocol: 5, want: "the provider's main package does not show which functions make its server: factory " +
				"of its function is given by the caller",
		},
		"variable": {
			protocol: 5, want: "the provider's main package does not show which functions make its server: it uses " +
				"the variable provider of the main package",
		},
		"nothing": {
			want: "the provider's main package does not show which functions make its server: it calls none of the " +
				"functions that serve providers",
		},
		"oldest": {want: "the provider is on version 1 of Terraform's SDK, whose servers cannot be linked into another program"},

		"function-exported":  {functions: []string{"exported.Server"}},
		"function-framework": {functions: []string{"internal/provider.Concrete"}, parent: module},
		"function-sdk":       {protocol: 5, functions: []string{"internal/sdk.WithVersion"}, parent: module},
		"function-results":   {protocol: 5, functions: []string{"internal/sdk.Factory"}, parent: module},
		"functions-mux5":     {protocol: 5, functions: []string{"internal/sdk.Server", "internal/provider.New"}, parent: module},
		"functions-mux6":     {functions: []string{"internal/sdk.Provider", "internal/provider.WithVersion", "exported.Server"}, parent: module},
		"function-protocol": {
			protocol: 5, functions: []string{"exported.Server"},
			want: module + "/exported.Server: it makes servers of protocol 6, but the provider's program " +
				"speaks protocol 5",
		},
		"function-parameter": {
			functions: []string{"exported.Region"},
			want: module + "/exported.Region: it has a parameter of type int; a context and the provider's " +
				"version, a string, are all that is known",
		},
		"function-result":  {functions: []string{"exported.Name"}, want: module + "/exported.Name: it makes no server of a provider"},
		"function-missing": {functions: []string{"exported.None"}, want: module + "/exported.None: the package has no such exported function"},
		"function-main": {
			functions: []string{"cmd/helper.Main"},
			want:      module + "/cmd/helper.Main: the package has no such exported function",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.protocol == 0 {
				test.protocol = 6
			}
			var code *servercode.Code
			var err error
			if test.functions == nil {
				code, err = packages.Main(module+"/cmd/"+name, test.protocol)
			} else {
				var functions []servercode.Function
				for _, f := range test.functions {
					function, err := servercode.ParseFunction(module + "/" + f)
					if err != nil {
						t.Fatal(err)
					}
					functions = append(functions, function)
				}
				code, err = packages.Functions(functions, test.protocol)
			}
			if test.want != "" {
				if err == nil || err.Error() != test.want {
					t.Errorf("got %v, want %s", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if code.Parent != test.parent {
				t.Errorf("below %q, want %q", code.Parent, test.parent)
			}
			golden.Check(t, filepath.Join("golden", name+".go"), code.Source)
			put(t, filepath.Join(dir, "made", name, "server.go"), code.Source)
		})
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", "./made/...")
	vet.Dir = dir
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Whether a part of a provider is on the legacy SDK shows in what its main package depends on.
func TestLegacy(t *testing.T) {
	t.Parallel()
	dir := newModule(t)
	for name, test := range map[string]struct {
		protocol int
		want     bool
	}{"alone": {6, false}, "sdk": {5, true}, "mux6": {6, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			packages, err := servercode.Load(t.Context(), dir, module+"/cmd/"+name)
			if err != nil {
				t.Fatal(err)
			}
			code, err := packages.Main(module+"/cmd/"+name, test.protocol)
			if err != nil {
				t.Fatal(err)
			}
			if code.Legacy != test.want {
				t.Errorf("got %t, want %t", code.Legacy, test.want)
			}
		})
	}
}

func TestParseFunction(t *testing.T) {
	t.Parallel()
	tests := map[string]servercode.Function{
		"example.org/x/provider.New": {Package: "example.org/x/provider", Name: "New"},
		"gopkg.in/x.v3/y.v2.New":     {Package: "gopkg.in/x.v3/y.v2", Name: "New"},
		"example.org/x/provider":     {},
		"provider.New":               {},
		"example.org/x/.New":         {},
		"example.org/x/provider.":    {},
		"":                           {},
	}
	for in, want := range tests {
		got, err := servercode.ParseFunction(in)
		if got != want || (err != nil) != (want == servercode.Function{}) {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
}
