package terraformprovider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandLine proves what is said of a program when it is chosen.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ says, wantErr, limitation string }{
		"modern":                    {says: "OpenTofu v1.12.6"},
		"without identities":        {says: "Terraform v1.11.4", limitation: "Terraform 1.11.4 does not know resource identities, so that nothing can be imported by identity."},
		"without write-only values": {says: "OpenTofu v1.9.0", limitation: "nor write-only attributes, so that none can be set."},
		"too old":                   {says: "Terraform v1.3.0", wantErr: "1.5.0 or later is needed"},
		"another program":           {says: "hello", wantErr: "neither OpenTofu nor Terraform"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "lb-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			path := filepath.Join(dir, "program")
			if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+test.says+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			c := &CommandLine{Program: path, Dir: dir}
			runner, err := c.get(t.Context())
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("got %v, want %s", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if again, err := c.get(t.Context()); err != nil || again != runner {
				t.Errorf("it is not the same the second time: %v", err)
			}
			if got := (execution{runner: runner}).limitation(); !strings.Contains(got, test.limitation) || (got == "") != (test.limitation == "") {
				t.Errorf("got %q, want %q", got, test.limitation)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if _, err := c.get(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no such program any more") {
				t.Errorf("of a program that was removed: %v", err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if _, err := (&CommandLine{closed: true}).get(t.Context()); err == nil {
				t.Error("a program is found although the controller stops")
			}
		})
	}
}
