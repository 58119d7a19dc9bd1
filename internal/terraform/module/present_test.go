package module_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

func TestPresent(t *testing.T) {
	t.Parallel()
	runner, err := commandline.New(commandline.Options{Program: openTofu(t), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	source := t.TempDir()
	put(t, source, "main.tf", calling("./a"))
	put(t, source, "a/main.tf", plain)
	put(t, source, "a/text", "x")
	for _, cleared := range []string{"source/a/text", "source/a", "source", "data/modules/modules.json", "."} {
		t.Run(cleared, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "module")
			m, diags := module.Fetch(t.Context(), runner, module.Source{Directory: source}, dir, "module_x")
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if !m.Present() {
				t.Error("it is not there")
			}
			if err := os.RemoveAll(filepath.Join(dir, cleared)); err != nil {
				t.Fatal(err)
			}
			if m.Present() {
				t.Error("it is still there")
			}
		})
	}
}
