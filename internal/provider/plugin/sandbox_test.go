package plugin_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// try makes a hostile provider try something, and returns what came of it.
func try(t *testing.T, s provider.Server, what string) string {
	t.Helper()
	answer, err := s.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "attack:" + what})
	if err != nil {
		t.Fatal(err)
	}
	v, err := answer.NewState.Unmarshal(tftypes.String)
	if err != nil {
		t.Fatal(err)
	}
	var out string
	if err := v.As(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// sandboxed returns a launcher of a provider in a sandbox.
func sandboxed(t testing.TB, s plugin.Sandbox) *plugin.Launcher {
	t.Helper()
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	l, _ := launcher(t, testprovider.Good)
	l.Env = testprovider.Env(testprovider.Good, "")
	l.Sandbox = &s
	return l
}

const secret = "hunter2"

func plant(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func port(t *testing.T, l net.Listener) uint16 {
	t.Helper()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

// What one process of a provider has, another one does not.
func TestPrivateFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plant(t, dir, "token")
	l := sandboxed(t, plugin.Sandbox{})
	other := launch(t, l)
	var ended atomic.Bool
	s, err := l.LaunchPrivate(t.Context(), provider.Private{
		Env: map[string]string{"CLOUD_TOKEN": secret}, Read: []string{dir}, Ended: func() { ended.Store(true) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	for what, server := range map[string]provider.Server{"its own": s, "another one's": other} {
		if got, own := try(t, server, "read "+dir+"/token"), server == s; strings.HasPrefix(got, "done: ") != own ||
			strings.Contains(got, secret) != own {
			t.Errorf("reads %s: %s", what, got)
		}
		if got, own := try(t, server, "read /proc/self/environ"), server == s; strings.Contains(got, "CLOUD_TOKEN="+secret) != own {
			t.Errorf("environment of %s: %s", what, got)
		}
		for _, change := range []string{"write " + dir + "/token", "remove " + dir + "/token", "link " + dir + "/token"} {
			if got := try(t, server, change); strings.HasPrefix(got, "done: ") {
				t.Errorf("%s, %s: %s", what, change, got)
			}
		}
	}
	if ended.Load() {
		t.Error("it is taken for ended")
	}
	if err := s.Close(t.Context()); err != nil || !ended.Load() {
		t.Errorf("closed: %v, ended: %t", err, ended.Load())
	}
}

// TestHostileProvider has what a hostile provider tries, and what comes of it.
func TestHostileProvider(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plant(t, dir, "token", "hidden/mine", "hidden/others", "readable/file", "writable/file", "above/file", "above/secret/token")
	open, closed := listen(t, "tcp", "127.0.0.1:0"), listen(t, "tcp", "127.0.0.1:0")
	listen(t, "unix", "@"+filepath.Base(dir))
	l := sandboxed(t, plugin.Sandbox{
		Read:    []string{filepath.Join(dir, "readable"), filepath.Join(dir, "hidden/mine"), filepath.Join(dir, "above")},
		Write:   []string{filepath.Join(dir, "writable"), filepath.Join(dir, "made")},
		Hidden:  []string{filepath.Join(dir, "hidden"), filepath.Join(dir, "above/secret")},
		Connect: []uint16{port(t, open)},
	})
	s := launch(t, l)
	us := strconv.Itoa(os.Getpid())
	for name, test := range map[string]struct {
		try     string
		allowed bool
	}{
		"read a token":                    {try: "read " + dir + "/token"},
		"read a token by a way round":     {try: "read " + dir + "/readable/../token"},
		"read of another provider":        {try: "read " + dir + "/hidden/others"},
		"list other providers":            {try: "list " + dir + "/hidden"},
		"read what is hidden within":      {try: "read " + dir + "/above/secret/token"},
		"read the controller's variables": {try: "read /proc/" + us + "/environ"},
		"read the controller's memory":    {try: "read /proc/" + us + "/maps"},
		"read by the controller's root":   {try: "read /proc/" + us + "/root" + dir + "/token"},
		"read the controller's files":     {try: "read /proc/" + us + "/fd/0"},
		"list temporary files":            {try: "list " + os.TempDir()},
		"write elsewhere":                 {try: "write " + dir + "/new"},
		"write what it can read":          {try: "write " + dir + "/readable/file"},
		"truncate what it can read":       {try: "truncate " + dir + "/readable/file"},
		"remove what it can read":         {try: "remove " + dir + "/readable/file"},
		"write its own program":           {try: "append " + l.Path},
		"remove its own program":          {try: "remove " + l.Path},
		"link a token":                    {try: "link " + dir + "/token"},
		"signal the controller":           {try: "signal " + us},
		"trace the controller":            {try: "trace " + us},
		"connect to another port":         {try: "connect " + closed.Addr().String()},
		"connect to an abstract socket":   {try: "connect @" + filepath.Base(dir)},

		"read what it can read":       {try: "read " + dir + "/readable/file", allowed: true},
		"read beside what is hidden":  {try: "read " + dir + "/above/file", allowed: true},
		"read of its own":             {try: "read " + dir + "/hidden/mine", allowed: true},
		"write what it can write":     {try: "write " + dir + "/writable/new", allowed: true},
		"write a folder that is made": {try: "write " + dir + "/made/new", allowed: true},
		"keep temporary files":        {try: "keep $TMPDIR/file", allowed: true},
		"keep files at home":          {try: "keep $HOME/file", allowed: true},
		"read about itself":           {try: "read /proc/self/environ", allowed: true},
		"random numbers":              {try: "read /dev/urandom", allowed: true},
		"discard":                     {try: "write /dev/null", allowed: true},
		"name resolution":             {try: "read /etc/resolv.conf", allowed: true},
		"run a program":               {try: "run /bin/true", allowed: true},
		"connect to its port":         {try: "connect " + open.Addr().String(), allowed: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := try(t, s, test.try)
			if strings.HasPrefix(got, "done: ") != test.allowed || !test.allowed && strings.Contains(got, secret) {
				t.Errorf("%s: %s", test.try, got)
			}
		})
	}
	if b, err := os.ReadFile(filepath.Join(dir, "readable/file")); err != nil || string(b) != secret {
		t.Errorf("the file that it can read was changed: %q, %v", b, err)
	}
}

// TestNothingIsRestrictedWithoutASandbox checks that the attacks are ones: without a sandbox they
// succeed.
func TestNothingIsRestrictedWithoutASandbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plant(t, dir, "token")
	l := sandboxed(t, plugin.Sandbox{})
	l.Sandbox = nil
	s := launch(t, l)
	for _, what := range []string{
		"read " + dir + "/token", "list " + os.TempDir(), "write " + dir + "/new", fmt.Sprint("signal ", os.Getpid()),
		"connect " + listen(t, "tcp", "127.0.0.1:0").Addr().String(),
	} {
		if got := try(t, s, what); !strings.HasPrefix(got, "done: ") {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// TestSandboxLimits checks the limits of a provider's process, and that it has no privileges.
func TestSandboxLimits(t *testing.T) {
	t.Parallel()
	s := launch(t, sandboxed(t, plugin.Sandbox{Processes: 123}))
	limits := try(t, s, "read /proc/self/limits")
	for _, want := range [][]string{{"Max core file size", "1", "1"}, {"Max processes", "123", "123"}, {"Max open files", "16384"}} {
		for line := range strings.Lines(limits) {
			if rest, ok := strings.CutPrefix(line, want[0]); ok {
				got := strings.Fields(rest)
				if got[1] != want[len(want)-1] {
					t.Errorf("%s: got %q, want %q", want[0], got, want[1:])
				}
			}
		}
	}
	status := try(t, s, "read /proc/self/status")
	for _, want := range []string{
		"NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "CapPrm:\t0000000000000000",
		"TracerPid:\t0",
	} {
		if !strings.Contains(status, want+"\n") {
			t.Errorf("no %q in\n%s", want, status)
		}
	}
}

// TestPrivateFolder checks that each process has a home of its own, which is gone with it.
func TestPrivateFolder(t *testing.T) {
	t.Parallel()
	l := sandboxed(t, plugin.Sandbox{})
	var homes []string
	for range 2 {
		s, err := l.Launch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		home := strings.TrimPrefix(try(t, s, "variable HOME"), "done: ")
		if _, err := os.Stat(home); err != nil {
			t.Error(err)
		}
		homes = append(homes, home)
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(home); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", home, err)
		}
	}
	if homes[0] == homes[1] {
		t.Errorf("both have %s", homes[0])
	}
}

// TestHomeStays checks that a provider keeps a home that the sandbox is open for.
func TestHomeStays(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		sandbox plugin.Sandbox
		env     string
		want    string
	}{
		"open for its home": {sandbox: plugin.Sandbox{Read: []string{home}}, want: home},
		"chosen":            {env: "/elsewhere", want: "/elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := sandboxed(t, test.sandbox)
			if test.env != "" {
				l.Env["HOME"] = test.env
			}
			if got := try(t, launch(t, l), "variable HOME"); got != "done: "+test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestSandboxedStart checks that providers which cannot be restricted do not start, and the reason
// that is reported.
func TestSandboxedStart(t *testing.T) {
	t.Parallel()
	l := sandboxed(t, plugin.Sandbox{Read: []string{"/nowhere"}})
	l.Dir = shortDir(t)
	_, err := l.Launch(t.Context())
	if err == nil || !strings.Contains(err.Error(), "it cannot run in its sandbox: what it can read must exist: stat /nowhere") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(l.Dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// TestSandboxIsPartOfTheKey checks that a process is not used with another sandbox.
func TestSandboxIsPartOfTheKey(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, s := range []*plugin.Sandbox{nil, {}, {Read: []string{"/etc"}}, {Write: []string{"/etc"}}, {Connect: []uint16{443}}} {
		l, _ := launcher(t, testprovider.Good)
		l.Env, l.Sandbox = nil, s
		keys[l.Key()] = true
	}
	if len(keys) != 5 {
		t.Errorf("%d keys of 5 sandboxes", len(keys))
	}
}

// BenchmarkSandboxedLaunch compares the start of a provider with and without a sandbox.
func BenchmarkSandboxedLaunch(b *testing.B) {
	for _, sandbox := range []*plugin.Sandbox{nil, {Hidden: []string{b.TempDir()}, Write: []string{b.TempDir()}}} {
		b.Run(fmt.Sprintf("sandbox=%t", sandbox != nil), func(b *testing.B) {
			l := sandboxed(b, plugin.Sandbox{})
			l.Sandbox = sandbox
			for b.Loop() {
				s, err := l.Launch(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Close(context.Background()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
