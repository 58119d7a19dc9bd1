package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// The playground is a program of its own, which is called with what it needs of this one.
func TestPlayground(t *testing.T) {
	dir := t.TempDir()
	built, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if _, _, err := run(t, "playground", "up"); err == nil || !strings.Contains(err.Error(), "landbridge-playground_VERSION_OS_ARCH.tar.gz") {
		t.Errorf("without the program: %v", err)
	}
	if out, _, err := run(t, "playground", "--help"); err != nil || !strings.Contains(out, "landbridge-playground is needed") {
		t.Errorf("the help is %q, %v", out, err)
	}
	script := "#!/bin/sh\necho \"$@\"\necho told >&2\nexit 3\n"
	if err := os.WriteFile(filepath.Join(dir, "landbridge-playground"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	self := filepath.Join(t.TempDir(), "landbridge") // without a playground beside it
	content, err := os.ReadFile(built)
	if err == nil {
		err = os.WriteFile(self, content, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ args, want string }{
		"up":                {"up --port 6443", "up --landbridge " + self + " --port 6443"},
		"demo":              {"demo", "demo --landbridge " + self},
		"another program":   {"up --landbridge=/other", "up --landbridge=/other"},
		"the control plane": {"serve --dir d", "serve --dir d"},
	} {
		t.Run(name, func(t *testing.T) {
			var told bytes.Buffer
			cmd := exec.CommandContext(t.Context(), self, append([]string{"playground"}, strings.Fields(c.args)...)...)
			cmd.Stderr = &told
			out, err := cmd.Output()
			if strings.TrimSpace(string(out)) != c.want || told.String() != "told\n" {
				t.Errorf("got %q and %q, want %q", out, told.String(), c.want)
			}
			if cmd.ProcessState.ExitCode() != 3 {
				t.Errorf("got %v, want exit code 3", err)
			}
		})
	}
}
