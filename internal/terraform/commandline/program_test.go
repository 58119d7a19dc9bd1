package commandline_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// script returns the path of a program that runs version when it is asked for its version, and
// otherwise for all else.
func script(t *testing.T, version, otherwise string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	text := "#!/bin/sh\nif [ \"$1\" = version ]; then " + version + "; fi\n" + otherwise + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

const modern = `echo "OpenTofu v1.12.6"; exit 0`

func TestFind(t *testing.T) {
	t.Parallel()
	notExecutable := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(notExecutable, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		path   string
		reason commandline.Reason
		detail string
		want   string
		// identity and writeOnly are what it supports.
		identity, writeOnly bool
	}{
		"no such path":   {path: "/nowhere/tofu", reason: commandline.NotFound, detail: "no such program"},
		"no such name":   {path: "landbridge-has-no-such-program", reason: commandline.NotFound, detail: "no such program"},
		"not executable": {path: notExecutable, reason: commandline.NotExecutable, detail: "cannot be run"},
		"another program": {
			path: script(t, "echo hello; exit 3", ""), reason: commandline.NotTerraform,
			detail: `exited with status 3 and printed "hello"`,
		},
		"silence":         {path: script(t, "exit 0", ""), reason: commandline.NotTerraform, detail: "neither OpenTofu nor Terraform"},
		"strange version": {path: script(t, "echo Terraform vfour; exit 0", ""), reason: commandline.NotTerraform, detail: "cannot be read"},
		"too old": {
			path: script(t, "echo Terraform v1.4.7; exit 0", ""), reason: commandline.UnsupportedVersion,
			detail: "1.5.0 or later is needed",
		},
		"the first OpenTofu": {path: script(t, "echo OpenTofu v1.6.0; exit 0", ""), want: "OpenTofu 1.6.0"},
		"without identity":   {path: script(t, "echo OpenTofu v1.11.2; echo on linux; exit 0", ""), want: "OpenTofu 1.11.2", writeOnly: true},
		"with identity":      {path: script(t, modern, ""), want: "OpenTofu 1.12.6", writeOnly: true, identity: true},
		"a release candidate": {
			path: script(t, "echo Terraform v1.12.0-rc1; exit 0", ""), want: "Terraform 1.12.0-rc1",
			writeOnly: true, identity: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := commandline.Find(t.Context(), test.path)
			if test.reason != "" {
				var e *commandline.ProgramError
				if !errors.As(err, &e) || e.Reason != test.reason || !strings.Contains(err.Error(), test.detail) ||
					!strings.Contains(err.Error(), test.path) {
					t.Errorf("got %v, want %s: %s", err, test.reason, test.detail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if p.String() != test.want || p.Identity != test.identity || p.WriteOnly != test.writeOnly {
				t.Errorf("got %s, %v, %v", p, p.Identity, p.WriteOnly)
			}
		})
	}
}

func TestFindHangs(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	_, err := commandline.FindWithin(t.Context(), script(t, "sleep 100; exit 0", ""), 200*time.Millisecond)
	var e *commandline.ProgramError
	if !errors.As(err, &e) || e.Reason != commandline.TimedOut || time.Since(begin) > 20*time.Second {
		t.Errorf("got %v after %s", err, time.Since(begin))
	}
}
