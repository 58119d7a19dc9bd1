package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A demo that cannot hold ends soon, says why, and does not exit with 0.
func TestDemoFails(t *testing.T) {
	dir := t.TempDir()
	dies := filepath.Join(dir, "landbridge")
	if err := os.WriteFile(dies, []byte("#!/bin/sh\necho the reason is in the log\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	examples := filepath.Join("..", "..", "..", "examples", "demo")
	tests := map[string]struct {
		args []string
		want []string // in what it prints
	}{
		"nothing was built": {
			args: []string{"--landbridge", filepath.Join(dir, "missing")},
			want: []string{"missing", "make build"},
		},
		"the controller dies": {
			args: []string{"--landbridge", dies, "--provider-mirror", dir, "--examples", examples},
			want: []string{"exit status 3", "the reason is in the log", "logs are in ", "From the controller's log, "},
		},
		"it takes too long": {
			args: []string{"--landbridge", "/bin/sh", "--provider-mirror", dir, "--examples", examples, "--timeout", "1ms"},
			want: []string{"the demo did not end within 1ms"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], append([]string{"demo"}, test.args...)...)
			cmd.Env = append(os.Environ(), runMain+"=1", "TMPDIR="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Error("it exits with 0")
			}
			for _, want := range test.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("the output does not say %q:\n%s", want, out)
				}
			}
			if strings.Contains(string(out), "Every step held") {
				t.Errorf("it says that it held:\n%s", out)
			}
		})
	}
}
