package child_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/child"
)

func run(t testing.TB, s *child.Sandbox, script string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := child.StartIn(s, cmd); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	return strings.TrimSpace(out.String())
}

// A program cannot fill the disk with one file.
func TestFileSize(t *testing.T) {
	t.Parallel()
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	dir := t.TempDir()
	run(t, &child.Sandbox{Write: []string{dir}, FileSize: 1 << 20},
		"head -c 1000000 /dev/zero > "+dir+"/small; head -c 3000000 /dev/zero > "+dir+"/large")
	for name, want := range map[string]int64{"small": 1000000, "large": 1 << 20} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() != want {
			t.Errorf("%s: %v, %v", name, info.Size(), err)
		}
	}
}

// TestSandbox has what a program in a sandbox tries, and what comes of it.
func TestSandbox(t *testing.T) {
	t.Parallel()
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	dir := t.TempDir()
	for _, name := range []string{"hidden/token", "hidden/mine/file", "open/file"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("hunter2"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "hidden"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	s := &child.Sandbox{Hidden: []string{filepath.Join(dir, "link"), "/nonexistent"}, Write: []string{filepath.Join(dir, "hidden/mine")}}
	for name, test := range map[string]struct {
		script string
		denied bool
	}{
		"read what is open":           {"cat open/file >/dev/null", false},
		"run what is open":            {"/bin/ls open", false},
		"write its own":               {"echo x > hidden/mine/new && rm hidden/mine/new", false},
		"read a hidden file":          {"cat hidden/token", true},
		"read by a link":              {"cat link/token", true},
		"read by a way round":         {"cat hidden/mine/../token", true},
		"list a hidden folder":        {"ls hidden", true},
		"by /proc of its parent":      {"cat /proc/$PPID/root" + dir + "/hidden/token", true},
		"write elsewhere":             {"echo x > open/file", true},
		"truncate elsewhere":          {": > open/file", true},
		"make a file elsewhere":       {"echo x > new", true},
		"remove elsewhere":            {"rm -f open/file", true},
		"move out":                    {"mv hidden/mine/file open/moved", true},
		"link a hidden file":          {"ln hidden/token hidden/mine/token", true},
		"hide behind a child process": {"sh -c 'sh -c \"cat hidden/token\"'", true},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, s, "cd "+dir+" && { "+test.script+"; } && echo done")
			if strings.HasSuffix(got, "done") == test.denied || strings.Contains(got, "hunter2") {
				t.Errorf("got %q", got)
			}
		})
	}
	if got := run(t, nil, "cat "+dir+"/hidden/token"); got != "hunter2" {
		t.Errorf("without a sandbox: %q", got)
	}
}

// TestSandboxDoesNotSpread checks that this program is not restricted itself.
func TestSandboxDoesNotSpread(t *testing.T) {
	t.Parallel()
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	dir := t.TempDir()
	for range 5 {
		run(t, &child.Sandbox{Hidden: []string{dir}}, "true")
		done := make(chan error)
		for range 8 {
			go func() { done <- os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600) }()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
	}
}

// BenchmarkStart compares the start of a process with and without a sandbox.
func BenchmarkStart(b *testing.B) {
	for name, s := range map[string]*child.Sandbox{
		"plain":   nil,
		"all but": {Hidden: []string{"/run/secrets", b.TempDir()}, Write: []string{b.TempDir()}},
		"only":    {Hidden: []string{"/run/secrets", b.TempDir()}, Read: child.SystemPaths(), Write: []string{b.TempDir()}},
	} {
		b.Run(name, func(b *testing.B) {
			if s != nil && !child.SandboxSupported() {
				b.Skip(child.ErrNoSandbox)
			}
			for b.Loop() {
				run(b, s, "true")
			}
		})
	}
}

// TestOnlyRead checks a sandbox that lists what can be read.
func TestOnlyRead(t *testing.T) {
	t.Parallel()
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	dir := t.TempDir()
	for _, name := range []string{"open", "secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("hunter2"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &child.Sandbox{Read: append(slices.Clone(child.SystemPaths()), filepath.Join(dir, "open"))}
	if got := run(t, s, "cat "+dir+"/open"); got != "hunter2" {
		t.Errorf("what is open: %q", got)
	}
	if got := run(t, s, "cat "+dir+"/secret"); !strings.Contains(got, "Permission denied") {
		t.Errorf("what is not: %q", got)
	}
}
