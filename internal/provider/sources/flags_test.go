package sources_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

// write writes a file and returns its path.
func write(t *testing.T, content string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestInstaller checks which of flags, environment variables and configuration files decides where
// providers come from.
func TestInstaller(t *testing.T) {
	const onlyMirror = "provider_installation {\n  filesystem_mirror {\n    path = \"/mirror/of/file\"\n  }\n}\n"
	type result struct {
		Given        bool
		Mirrors      []string
		Registry     string // "none" without a client
		Installation string // relative to the home
		Credentials  string
		Error        string
	}
	tests := map[string]struct {
		args, env []string // HOME in env is replaced by the home
		files     map[string]string
		own       bool // ConfigFile is not set
		want      result
	}{
		"nothing": {want: result{Registry: registry.Default}},
		"flags": {
			args: []string{"--provider-mirror=/a", "--provider-mirror=/b", "--provider-registry=registry.example.com"},
			want: result{Given: true, Mirrors: []string{"/a", "/b"}, Registry: "registry.example.com"},
		},
		"environment": {
			env:  []string{"LANDBRIDGE_PROVIDER_MIRROR=/a:/b", "LANDBRIDGE_PROVIDER_REGISTRY=registry.example.com"},
			want: result{Given: true, Mirrors: []string{"/a", "/b"}, Registry: "registry.example.com"},
		},
		"flags before the environment": {
			args: []string{"--provider-mirror=/flag", "--provider-registry="},
			env:  []string{"LANDBRIDGE_PROVIDER_MIRROR=/a", "LANDBRIDGE_PROVIDER_REGISTRY=registry.example.com"},
			want: result{Given: true, Mirrors: []string{"/flag"}, Registry: "none"},
		},
		"an empty mirror is none": {
			args: []string{"--provider-mirror="},
			want: result{Given: true, Registry: registry.Default},
		},
		"an empty variable counts": {
			env:  []string{"LANDBRIDGE_PROVIDER_REGISTRY="},
			want: result{Given: true, Registry: "none"},
		},
		"a file of Terraform": {
			files: map[string]string{".terraformrc": onlyMirror},
			want:  result{Registry: registry.Default, Installation: ".terraformrc"},
		},
		"a file of OpenTofu comes first": {
			files: map[string]string{".terraformrc": "", ".tofurc": onlyMirror},
			want:  result{Registry: registry.Default, Installation: ".tofurc"},
		},
		"a file that a variable names": {
			env:   []string{"TF_CLI_CONFIG_FILE=HOME/some/file"},
			files: map[string]string{".tofurc": "", "some/file": onlyMirror},
			want:  result{Registry: registry.Default, Installation: "some/file"},
		},
		"no file of the command line for the controller": {
			own:   true,
			env:   []string{"TF_CLI_CONFIG_FILE=HOME/some/file"},
			files: map[string]string{".tofurc": onlyMirror, "some/file": onlyMirror},
			want:  result{Registry: registry.Default},
		},
		"flags before files": {
			args:  []string{"--provider-mirror=/a"},
			files: map[string]string{".tofurc": onlyMirror},
			want:  result{Given: true, Mirrors: []string{"/a"}, Registry: registry.Default},
		},
		"a file that a flag names": {
			args:  []string{"--provider-installation=HOME/mine"},
			files: map[string]string{".tofurc": onlyMirror, "mine": onlyMirror},
			want:  result{Given: true, Registry: registry.Default, Installation: "mine"},
		},
		"a login": {
			files: map[string]string{".terraform.d/credentials.tfrc.json": `{"credentials": {"registry.example.com": {"token": "x"}}}`},
			want:  result{Registry: registry.Default, Credentials: ".terraform.d/credentials.tfrc.json"},
		},
		"a wrong file": {
			files: map[string]string{".tofurc": "provider_installation {\n  mirror {\n  }\n}\n"},
			want: result{Registry: "none", Installation: ".tofurc",
				Error: "HOME/.tofurc is read since no flag says where providers come from: correct it, or name " +
					"another file with --provider-installation (none: --provider-installation=)"},
		},
		"a wrong file that a flag names": {
			args: []string{"--provider-installation=HOME/missing"},
			want: result{
				Given: true, Registry: "none", Installation: "missing",
				Error: "--provider-installation: open HOME/missing: no such file or directory",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			for _, v := range []string{
				"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG", "XDG_CONFIG_HOME", "LANDBRIDGE_PROVIDER_MIRROR",
				"LANDBRIDGE_PROVIDER_REGISTRY", "LANDBRIDGE_PROVIDER_INSTALLATION",
			} {
				t.Setenv(v, "")
				os.Unsetenv(v) // restored by Setenv
			}
			t.Setenv("HOME", home)
			for _, e := range test.env {
				name, value, _ := strings.Cut(strings.ReplaceAll(e, "HOME", home), "=")
				t.Setenv(name, value)
			}
			for file, content := range test.files {
				write(t, content, home, file)
			}
			f := sources.Flags{ConfigFile: !test.own}
			set := pflag.NewFlagSet("", pflag.ContinueOnError)
			f.Add(set)
			args := make([]string, len(test.args))
			for i, a := range test.args {
				args[i] = strings.ReplaceAll(a, "HOME", home)
			}
			if err := set.Parse(args); err != nil {
				t.Fatal(err)
			}
			i, err := f.Installer()
			got := result{
				Given: f.Given(), Registry: "none", Installation: below(home, f.Registries.Installation),
				Credentials: below(home, f.Registries.Credentials),
			}
			if err != nil {
				got.Error = strings.ReplaceAll(err.Error(), home, "HOME")
				if strings.HasSuffix(got.Error, test.want.Error) {
					got.Error = test.want.Error
				}
			} else {
				got.Mirrors = i.Mirrors
				if i.Registry != nil {
					got.Registry = i.Registry.Registry
				}
			}
			if len(got.Mirrors) == 0 {
				got.Mirrors = nil
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// below returns a path relative to a directory.
func below(dir, path string) string {
	out, err := filepath.Rel(dir, path)
	if path == "" || err != nil {
		return path
	}
	return out
}

// TestUsage checks that the help of each flag names its environment variable, and that all flags
// are one group.
func TestUsage(t *testing.T) {
	var f sources.Flags
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.Add(set)
	n := 0
	set.VisitAll(func(one *pflag.Flag) {
		n++
		want := "($LANDBRIDGE_" + strings.ToUpper(strings.ReplaceAll(one.Name, "-", "_")) + ")"
		if !strings.HasSuffix(one.Usage, want) || one.Annotations[sources.Group] == nil {
			t.Errorf("--%s: %s, %v", one.Name, one.Usage, one.Annotations)
		}
	})
	if n != 7 {
		t.Errorf("%d flags", n)
	}
}
