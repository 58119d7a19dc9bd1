package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A provider that needs another version of a module than Landbridge cannot be linked, although its
// own program can be built. Nothing is left of the repository.
func TestInitConflict(t *testing.T) {
	t.Parallel()
	tools, err := newTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	provider := t.TempDir()
	if err := os.CopyFS(provider, os.DirFS(filepath.Join(tools.root, "examples", "examplecloud"))); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(provider, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"go.mod":                      string(raw) + "\nrequire sigs.k8s.io/yaml v1.6.0\nreplace sigs.k8s.io/yaml => ./yaml\n",
		"yaml/go.mod":                 "module sigs.k8s.io/yaml\n\ngo 1.26.0\n",
		"yaml/yaml.go":                "package yaml\n\nfunc OnlyInTheFork() {}\n",
		"provider/framework/forks.go": "package framework\n\nimport \"sigs.k8s.io/yaml\"\n\nvar _ = yaml.OnlyInTheFork\n",
	} {
		file := filepath.Join(provider, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, tools, provider, nil, []string{
		"--in-process: the provider does not compile with the dependencies of Landbridge: leave out --in-process to " +
			"run it as a process of its own",
		"undefined: yaml.OnlyInTheFork",
	})
}

// So it is with a provider that behaves differently where it is linked, here because of its
// environment.
func TestInitOtherBehaviour(t *testing.T) {
	t.Parallel()
	tools, err := newTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	refused(t, tools, filepath.Join(tools.root, "examples", "examplecloud"), []string{"EXAMPLECLOUD_PROVIDER_VERSION=1"}, []string{
		"--in-process: the linked provider does not behave as its program: leave out --in-process to run it as a process of its own",
		"the linked provider has another schema than ../../config/schema.json", "--- FAIL: TestInProcess/examplecloud_volume ",
	})
}

// refused checks that init does not link the example cloud's provider, says why, and leaves
// nothing.
func refused(t *testing.T, tools tools, provider string, environment, wants []string) {
	t.Helper()
	dir := t.TempDir()
	repository := filepath.Join(dir, "provider-refused")
	_, err := tools.command(t.Context(), dir, "env", append(environment, tools.landbridge,
		"init", "example.org/provider-refused", "--landbridge", tools.root, "--output-dir", repository,
		"--provider", filepath.Join(provider, "cmd", "terraform-provider-examplecloud-framework6"), "--provider-name",
		"examplecloud", "--provider-version", "3.0.0", "--in-process")...)
	for _, want := range wants {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := os.Stat(repository); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the repository: %v", err)
	}
}
