package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
)

// TestProviderByAddress checks that commands take a provider's address wherever they take its
// program: from a mirror without any network, and from a registry.
func TestProviderByAddress(t *testing.T) {
	t.Parallel()
	binary := providertest.Binary(t, "random")
	r := registrytest.New(t)
	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	r.Add("hashicorp/random", "3.9.0", runtime.GOOS+"_"+runtime.GOARCH,
		registrytest.Pack(t, map[string]string{filepath.Base(binary): string(program)}))
	cache := t.TempDir()
	mirror := []string{"--provider-mirror", providertest.Mirror(t, "random"), "--provider-registry=", "--provider-cache", cache}
	online := []string{"--provider-registry", r.Host(), "--provider-ca", r.CA(t), "--provider-cache", cache}
	manifest := file(t, "pet.yaml", "apiVersion: random.landbridge.io/v1alpha1\nkind: Pet\nmetadata: {name: one}\nspec: {forProvider: {}}\n")
	for name, test := range map[string]struct {
		args []string
		want string // in the output
	}{
		"inspect": {args: []string{"provider", "inspect", "hashicorp/random"}, want: "random_pet"},
		"schema": {
			args: []string{
				"provider", "schema", "hashicorp/random@3.9.0", "--output-file",
				filepath.Join(t.TempDir(), "schema.json"),
			}, want: "resource types of the provider random 3.9.0",
		},
		"compare": {args: []string{"provider", "compare", "hashicorp/random@~> 3.9", "hashicorp/random"}, want: "Nothing changed."},
		"crds":    {args: []string{"crds", "hashicorp/random", "random_pet"}, want: "kind: Pet"},
		"generate": {
			args: []string{
				"generate", "--provider", "hashicorp/random", "--output-dir", filepath.Join(t.TempDir(), "out"),
				"--module", "example.org/random",
			}, want: " kinds; ",
		},
		"plan": {
			args: []string{
				"plan", "-f", manifest, "--provider", "hashicorp/random", "--state",
				filepath.Join(t.TempDir(), "state"),
			}, want: "random_pet.one",
		},
	} {
		for where, flags := range map[string][]string{"mirror": mirror, "registry": online} {
			t.Run(name+" from a "+where, func(t *testing.T) {
				args := append(append([]string{}, test.args...), flags...)
				for i, a := range args {
					args[i] = strings.Replace(a, "/out", "/out-"+where, 1)
				}
				out, said, err := run(t, args...)
				if err != nil || !strings.Contains(out, test.want) {
					t.Errorf("got %v and:\n%s\n%s", err, out, said)
				}
			})
		}
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no such provider": {
			args: append([]string{"crds", "hashicorp/nothing"}, mirror...),
			want: "provider hashicorp/nothing: there is no such provider in ",
		},
		"no such version": {
			args: append([]string{"crds", "hashicorp/random@9.0.0"}, mirror...),
			want: "provider hashicorp/random 9.0.0: no version meets the constraint; there are 3.9.0",
		},
		"no constraint": {args: append([]string{"crds", "hashicorp/random@x"}, mirror...), want: `"x" is not a version constraint`},
		"no source": {
			args: []string{"crds", "hashicorp/random", "--provider-registry="},
			want: "no provider mirror is configured; name one with --provider-mirror, or a registry with " +
				"--provider-registry",
		},
		"a path": {
			args: append([]string{"crds", "./hashicorp/random"}, mirror...),
			want: "./hashicorp/random: no such file or directory; name the provider's program by its path, or the " +
				"provider by its address",
		},
		"a program's name": {
			args: append([]string{"crds", "hashicorp/terraform-provider-random"}, mirror...),
			want: "hashicorp/terraform-provider-random: no such file or directory",
		},
		"a name alone": {
			args: append([]string{"crds", "time-of-day"}, mirror...),
			want: "time-of-day: no such file or directory; name the provider's program by its path, or the provider " +
				"by its address, such as hashicorp/random",
		},
		"no such directory": {
			args: append([]string{"crds", "hashicorp/random", "--provider-registry="}, "--provider-mirror",
				"/does/not/exist"), want: "the mirror cannot be read: stat /does/not/exist: no such file or directory",
		},
	} {
		if _, _, err := run(t, test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// TestProviderMirrorVariable checks that a variable names a mirror for all commands.
func TestProviderMirrorVariable(t *testing.T) {
	t.Setenv("LANDBRIDGE_PROVIDER_MIRROR", t.TempDir()+string(filepath.ListSeparator)+providertest.Mirror(t, "random"))
	t.Setenv("LANDBRIDGE_PROVIDER_REGISTRY", "")
	if out, _, err := run(t, "crds", "hashicorp/random", "random_pet"); err != nil || !strings.Contains(out, "kind: Pet") {
		t.Errorf("got %v and:\n%s", err, out)
	}
	// The mirror's packages can be locked without any registry; it has no signatures.
	out, _, err := run(t, "provider", "lock", "hashicorp/random", "--platform", runtime.GOOS+"_"+runtime.GOARCH)
	if err != nil || !strings.Contains(out, "# from the mirror ") || !strings.Contains(out, "version: 3.9.0") ||
		!strings.Contains(out, "- h1:") {
		t.Errorf("got %v and:\n%s", err, out)
	}
}
