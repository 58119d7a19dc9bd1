package kinds_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

func TestCommandLineFindsTheProgram(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ prints, wantErr string }{
		"supported":       {prints: "OpenTofu v1.12.6"},
		"too old":         {prints: "Terraform v1.3.0", wantErr: "1.5.0 or later is needed"},
		"another program": {prints: "hello", wantErr: "neither OpenTofu nor Terraform"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := program(t, test.prints)
			c := &kinds.CommandLine{Program: path, Dir: filepath.Dir(path)}
			runner, err := c.Runner(t.Context())
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("got %v, want %s", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if again, err := c.Runner(t.Context()); err != nil || again != runner {
				t.Errorf("the second call returns another runner: %v", err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Runner(t.Context()); err == nil || !strings.Contains(err.Error(), "the program was removed") {
				t.Errorf("after the program was removed: %v", err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestClosedCommandLineFindsNoProgram(t *testing.T) {
	t.Parallel()
	c := &kinds.CommandLine{Program: program(t, "OpenTofu v1.12.6")}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Runner(t.Context()); err == nil {
		t.Error("a program is found after Close")
	}
}

// program writes a program that prints a version.
func program(t *testing.T, prints string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lb-") // sockets need short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+prints+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
