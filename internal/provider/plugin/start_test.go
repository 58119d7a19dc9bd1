package plugin_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// TestStartErrors checks the error of a provider that does not start, and that no process or file
// is left.
func TestStartErrors(t *testing.T) {
	file := func(content string, mode os.FileMode) func(*testing.T) *plugin.Launcher {
		return func(t *testing.T) *plugin.Launcher {
			path := filepath.Join(t.TempDir(), "terraform-provider-x")
			if err := os.WriteFile(path, []byte(content), mode); err != nil {
				t.Fatal(err)
			}
			return &plugin.Launcher{Path: path}
		}
	}
	mode := func(mode string, timeout time.Duration) func(*testing.T) *plugin.Launcher {
		return func(t *testing.T) *plugin.Launcher {
			l, _ := launcher(t, mode)
			l.StartTimeout = timeout
			return l
		}
	}
	for name, c := range map[string]struct {
		launcher func(*testing.T) *plugin.Launcher
		reason   plugin.Reason
		says     []string
	}{
		"no file": {
			func(t *testing.T) *plugin.Launcher { return &plugin.Launcher{Path: "/nowhere/x"} }, plugin.NotFound,
			[]string{"/nowhere/x", "no such file"},
		},
		"a directory": {
			func(t *testing.T) *plugin.Launcher { return &plugin.Launcher{Path: t.TempDir()} }, plugin.NotExecutable,
			[]string{"not a file"},
		},
		"not executable": {file("#!/bin/sh\n", 0o644), plugin.NotExecutable, []string{"chmod +x"}},
		"not a program": {
			file("MZ this is for another machine", 0o755), plugin.NotExecutable, []string{
				"not a program that this machine can run",
			},
		},
		"no interpreter": {file("#!/nowhere/sh\n", 0o755), plugin.NotExecutable, []string{"interpreter"}},
		"a script":       {file("#!/bin/sh\necho hello\n", 0o755), plugin.NotAProvider, []string{"hello", "not a Terraform provider"}},
		"exits silently": {file("#!/bin/sh\nexit 4\n", 0o755), plugin.Exited, []string{"status 4"}},
		"killed":         {file("#!/bin/sh\nkill -9 $$\n", 0o755), plugin.Exited, []string{"signal killed"}},
		"dies at start":  {mode(testprovider.Exit, 0), plugin.Exited, []string{"status 3", "the moon is full"}},
		"rubbish":        {mode(testprovider.Rubbish, 0), plugin.NotAProvider, []string{"Hello! This is no provider."}},
		"long rubbish":   {mode(testprovider.LongRubbish, 0), plugin.NotAProvider, []string{"xxx…", "not a Terraform provider"}},
		"net/rpc":        {mode(testprovider.NetRPC, 0), plugin.NotAProvider, []string{"gRPC"}},
		"protocol 4":     {mode(testprovider.Protocol4, 0), plugin.IncompatibleProtocol, []string{"protocol 4", "5 and 6"}},
		"hangs":          {mode(testprovider.Hang, 3*time.Second), plugin.TimedOut, []string{"did not print the plugin handshake in time"}},
		"hangs later": {
			mode(testprovider.HangAfterHandshake, 6*time.Second), plugin.TimedOut, []string{
				"printed the plugin handshake, but did not answer",
			},
		},
		"huge schema": {mode(testprovider.HugeSchema, 0), plugin.Failed, []string{"its schema is larger than 64 MiB"}},
		"socket path": {func(t *testing.T) *plugin.Launcher {
			l, _ := launcher(t, testprovider.Good)
			l.Dir = longDir(t)
			return l
		}, plugin.Failed, []string{"too long"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := c.launcher(t)
			sockets := l.Dir
			if sockets == "" {
				sockets = shortDir(t)
				l.Dir = sockets
			}
			began := time.Now()
			s, err := l.Launch(context.Background())
			if err == nil {
				_ = s.Close(context.Background())
				t.Fatal("it started")
			}
			var e *plugin.StartError
			if !errors.As(err, &e) {
				t.Fatalf("got %T %v, want a StartError", err, err)
			}
			if e.Reason != c.reason {
				t.Errorf("got reason %s, want %s: %s", e.Reason, c.reason, err)
			}
			for _, text := range append(c.says, l.Path) {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q does not contain %q", err, text)
				}
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
			left, err := os.ReadDir(sockets)
			if err != nil || len(left) > 0 {
				t.Errorf("left in the socket directory: %v %v", left, err)
			}
		})
	}
}

func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "lbt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func longDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 100))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLaunchIsCancelled checks that cancelling the context ends the start and the process.
func TestLaunchIsCancelled(t *testing.T) {
	t.Parallel()
	l, _ := launcher(t, testprovider.Hang)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := l.Launch(ctx)
	var e *plugin.StartError
	if !errors.As(err, &e) || e.Reason != plugin.Failed || !strings.Contains(e.Detail, "cancelled") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestExplainHandshake(t *testing.T) {
	for line, want := range map[string]plugin.Reason{
		"1|5|unix|/tmp/x|grpc|":      "",
		"1|6|tcp|127.0.0.1:1|grpc":   "",
		"1|4|unix|/tmp/x|grpc|":      plugin.IncompatibleProtocol,
		"1|7|unix|/tmp/x|grpc|":      plugin.IncompatibleProtocol,
		"2|6|unix|/tmp/x|grpc|":      plugin.NotAProvider,
		"1|6|unix|/tmp/x":            plugin.NotAProvider,
		"1|6|unix|/tmp/x|netrpc":     plugin.NotAProvider,
		"":                           plugin.NotAProvider,
		"|||||":                      plugin.NotAProvider,
		"Usage: terraform-provider-": plugin.NotAProvider,
	} {
		if got, detail := plugin.ExplainHandshake(line); got != want {
			t.Errorf("%q: got %q (%s), want %q", line, got, detail, want)
		}
	}
}

func FuzzExplainHandshake(f *testing.F) {
	f.Add("1|5|unix|/tmp/x|grpc|")
	f.Add("1|4|x")
	f.Fuzz(func(t *testing.T, line string) {
		reason, detail := plugin.ExplainHandshake(line)
		if (reason == "") != (detail == "") {
			t.Errorf("reason %q with detail %q", reason, detail)
		}
		if len(detail) > 1000 {
			t.Errorf("detail of %d bytes", len(detail))
		}
	})
}
