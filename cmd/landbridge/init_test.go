package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/schema"
)

// What init makes is built, tested and run by make generated-repos. Here is what it refuses, and
// that nothing is left of it then.
func TestInitRefuses(t *testing.T) {
	t.Parallel()
	binary := providertest.Binary(t, "time")
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	clouds := filepath.Join(root, "examples", "examplecloud", "cmd", "terraform-provider-examplecloud-framework")
	const cloudPackage = "github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	tests := map[string]struct {
		name string // provider-time unless set
		args []string
		// files are there before, in the working directory.
		files map[string]string
		want  string
	}{
		"no provider given": {args: []string{"--provider="}, want: "provider : no source is given"},
		"a bad name":        {name: "Provider_Time", want: `the name "Provider_Time": a lowercase RFC 1123 label must consist of`},
		"a bad import path": {name: "a b/provider-time", want: `the name "a b/provider-time" is not an import path of a Go module`},
		"a bad group":       {args: []string{"--group", "clock"}, want: "it must be a domain name with a dot, such as cloud.landbridge.io"},
		"not empty": {
			files: map[string]string{"out/x": ""},
			want:  "out is not empty: choose another directory, or remove what is in it",
		},
		"a file in the way": {files: map[string]string{"out": ""}, want: "not a directory"},
		"below a file":      {files: map[string]string{"f": ""}, args: []string{"--output-dir", "DIR/f/out"}, want: "not a directory"},
		"no documentation":  {args: []string{"--documentation", "DIR/docs"}, want: "the documentation: open "},
		"no examples in it": {args: []string{"--documentation", "DIR"}, want: "the documentation has no examples in HCL"},
		"no such program": {
			args: []string{"--provider", "/nowhere/terraform-provider-time_v1.0.0"},
			want: "there is no file /nowhere/terraform-provider-time_v1.0.0",
		},
		"no mirror": {
			args: []string{"--provider", "hashicorp/time", "--provider-registry="},
			want: "no provider mirror is configured",
		},
		"not in the mirror": {
			args: []string{
				"--provider", "hashicorp/clock", "--provider-registry=", "--provider-mirror",
				providertest.Mirror(t, "time"),
			}, want: "there is no such provider in ",
		},
		"no such version": {
			args: []string{
				"--provider", "hashicorp/time@99.0.0", "--provider-mirror", providertest.Mirror(t, "time"),
			}, want: "no version meets the constraint; there are 0.14.2",
		},
		"not executable": {
			files: map[string]string{"terraform-provider-x_v1.0.0": ""},
			args:  []string{"--provider", "DIR/terraform-provider-x_v1.0.0"}, want: "is not marked as executable",
		},
		"it does not start": {
			files: map[string]string{"terraform-provider-x_v1.0.0": "#!/bin/sh\nexit 3\n"},
			args:  []string{"--provider", "DIR/terraform-provider-x_v1.0.0"}, want: "the provider's schema: ",
		},
		"of no version": {
			files: map[string]string{"terraform-provider-x": "#!/bin/sh\n"},
			args:  []string{"--provider", "DIR/terraform-provider-x"},
			want: "terraform-provider-x does not contain its version: give the provider's version, with " +
				"--provider-version",
		},
		"no package": {
			args: []string{"--provider", "exa mple.org/a/x@v1.0.0"},
			want: `the provider exa mple.org/a/x@v1.0.0: malformed import path`,
		},
		"a package of no name": {
			args: []string{"--provider", "example.org/a/x@v1.0.0"},
			want: "example.org/a/x does not contain the provider's name in the form terraform-provider-NAME",
		},
		"not a release": {
			args: []string{"--landbridge="},
			want: "this program was not built from a release of Landbridge: set --landbridge to the release",
		},
		"no checkout": {
			args: []string{"--landbridge", "DIR"},
			want: "is neither a release of Landbridge nor the directory of a checkout",
		},
		"in process, a binary": {
			args: []string{"--in-process"},
			want: "--in-process: the provider " + binary + " is not Go code: give its module and version, or the " +
				"directory of its main package, with --provider",
		},
		"in process, a source": {
			args: []string{"--in-process", "--provider", "hashicorp/time@0.14.2"},
			want: "--in-process: the provider hashicorp/time@0.14.2 is not Go code",
		},
		"a server of a plugin": {
			args: []string{"--provider-server", "example.org/x/provider.New"},
			want: "--provider-server: only a program that links the provider makes its server: give " +
				"--in-process as well",
		},
		"not a function": {
			args: []string{"--in-process", "--provider", clouds + "6", "--provider-server", "provider.New"},
			want: `--provider-server: "provider.New" is not PACKAGE.FUNCTION, such as github.com/acme/`,
		},
		"code of no version": {
			args: []string{"--provider", clouds + "6"},
			want: "terraform-provider-examplecloud-framework6 has no version: give the provider's version, with " +
				"--provider-version",
		},
		"code of no program": {
			args: []string{"--provider", filepath.Join(root, "program"), "--provider-version", "1.0.0"},
			want: "is not a program: give the directory of the provider's main package, with --provider",
		},
		"no code": {
			args: []string{"--provider", "DIR", "--provider-version", "1.0.0"},
			want: "the provider in DIR: go list -json=Name,ImportPath,Module .",
		},
		"of no module": {
			files: map[string]string{"p/go.mod": "module example.org/x\n", "p/main.go": "package main\n\nfunc main() {}\n"},
			args:  []string{"--provider", "DIR/p", "--provider-version", "1.0.0"},
			want: "example.org/x does not contain the provider's name in the form terraform-provider-NAME: give " +
				"the provider's name, with --provider-name",
		},
		"a server of another": {
			args: []string{
				"--in-process", "--provider", clouds + "6", "--provider-name", "examplecloud", "--provider-version",
				"3.0.0", "--provider-server", "example.org/x/provider.New",
			},
			want: "--provider-server: example.org/x/provider.New is not in the provider's module, " +
				"github.com/landbridge-io/landbridge/examples/examplecloud",
		},
		"a server of no package": {
			args: []string{
				"--in-process", "--provider", clouds + "6", "--provider-name", "examplecloud", "--provider-version",
				"3.0.0", "--provider-server", cloudPackage + "/nothing.New",
			},
			want: "--provider-server: go list ",
		},
		"a server with parameters": {
			args: []string{
				"--in-process", "--provider", clouds + "6", "--provider-name", "examplecloud", "--provider-version",
				"3.0.0", "--provider-server", cloudPackage + "/framework.Server6",
			},
			want: "--provider-server: " + cloudPackage + "/framework.Server6: it has a parameter of type " +
				cloudPackage + "/release.Release; a context and the provider's version, a string, are " +
				"all that is known",
		},
		"a checkout of another": {
			files: map[string]string{"x/go.mod": "module example.org/x\n"}, args: []string{"--landbridge", "DIR/x"},
			want: "is a checkout of example.org/x, not of github.com/landbridge-io/landbridge",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, content := range test.files {
				file = filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				mode := os.FileMode(0o644)
				if content != "" {
					mode = 0o755
				}
				if err := os.WriteFile(file, []byte(content), mode); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, dir)
			if test.name == "" {
				test.name = "provider-time"
			}
			args := []string{"init", test.name, "--provider", binary, "--landbridge", root, "--output-dir", filepath.Join(dir, "out")}
			for _, a := range test.args {
				args = append(args, strings.ReplaceAll(a, "DIR", dir))
			}
			_, _, err := run(t, args...)
			if want := strings.ReplaceAll(test.want, "DIR", dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("something was left: -before, +after:\n%s", diff)
			}
		})
	}
}

// tree lists all files of a directory.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(file string, _ os.DirEntry, err error) error {
		out = append(out, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestProviderSchema(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "schema.json")
	for range 2 { // again is no mistake
		out, _, err := run(t, "provider", "schema", providertest.Binary(t, "time"), "--output-file", file)
		if err != nil || out != file+": 4 resource types of the provider time 0.14.2\n" {
			t.Fatalf("%q, %v", out, err)
		}
	}
	r, err := schema.ReadRecord(file, "time")
	if err != nil || r.Version != "0.14.2" || len(r.Schema.Resources) != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	_, _, err = run(t, "provider", "schema", providertest.Binary(t, "local"), "--output-file", file)
	if err == nil || !strings.Contains(err.Error(), "is the schema of the provider time, and not of local") {
		t.Errorf("over that of another: %v", err)
	}
	if _, err := schema.ReadRecord(file, "time"); err != nil {
		t.Errorf("it was overwritten: %v", err)
	}
}

func TestProviderInstall(t *testing.T) {
	t.Parallel()
	binary, mirror := providertest.Binary(t, "time"), providertest.Mirror(t, "time")
	file := filepath.Join(t.TempDir(), "bin", "terraform-provider-time")
	out, _, err := run(t, "provider", "install", "hashicorp/time", "--provider-mirror", mirror, "--output-file", file)
	if err != nil {
		t.Fatal(err)
	}
	_, sum, _ := strings.Cut(strings.TrimSpace(out), "sha256 ")
	for name, from := range map[string]string{"the mirror": "hashicorp/time", "its path": binary} {
		if out, _, err := run(t, "provider", "install", from, "--version", "0.14.2", "--provider-mirror", mirror,
			"--sha256", sum, "--output-file", file); err != nil {
			t.Errorf("from %s: %s, %v", name, out, err)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"another program": {[]string{"--sha256", strings.Repeat("0", 64)}, "not the pinned checksum"},
		"another version": {[]string{"--version", "0.1.0"}, "no version meets the constraint"},
		"another machine": {[]string{"--platform", "plan9_mips"}, "there is no build for plan9_mips in "},
	} {
		other := file + "-other"
		_, _, err := run(t, append([]string{
			"provider", "install", "hashicorp/time", "--provider-mirror", mirror, "--output-file", other,
		}, test.args...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(other); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out, _, err := run(t, "provider", "install", "hashicorp/time", "--provider-mirror", mirror, "--platform",
		runtime.GOOS+"_"+runtime.GOARCH, "--output-file", file); err != nil {
		t.Errorf("%s, %v", out, err)
	}
}
