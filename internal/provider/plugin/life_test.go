package plugin_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/internal/servertest"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

func read(ctx context.Context, s provider.Server, typ string) (*tfprotov6.ReadResourceResponse, error) {
	return s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ})
}

func pid(t *testing.T, s provider.Server) int { return s.(*plugin.Server).PID() }

// exists reports whether a process exists, including zombies.
func exists(pid int) bool { return syscall.Kill(pid, 0) == nil }

// waitForRead waits until a provider is in a ReadResource.
func waitForRead(t *testing.T, record string) { t.Helper(); waitForRecord(t, record, "ReadResource") }

func waitForRecord(t *testing.T, record, method string) {
	t.Helper()
	waittest.Eventually(t, "the provider records a "+method, func(context.Context) bool {
		records, err := testprovider.Records(record)
		return err == nil && slices.ContainsFunc(records, func(r testprovider.Record) bool { return r.Method == method })
	})
}

func TestCrash(t *testing.T) {
	for name, c := range map[string]struct{ typ, says string }{
		"panic": {"crash", "panic: crashed in ReadResource"},
		"exit":  {"exit", "status 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := launcher(t, testprovider.Good)
			l.Dir = shortDir(t)
			s := launch(t, l)
			id := pid(t, s)
			_, err := read(t.Context(), s, c.typ)
			if !provider.IsUnavailable(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the call that crashed it: got %v, want Unavailable with the text %q", err, c.says)
			}
			select {
			case <-s.Done():
			case <-time.After(5 * time.Second):
				t.Fatal("Done is not closed")
			}
			if exists(id) {
				t.Error("the process is still there")
			}
			servertest.Gone(t, s)
			if _, err := read(t.Context(), s, "echo"); !strings.Contains(err.Error(), c.says) {
				t.Errorf("a later call: %v does not contain %q", err, c.says)
			}
			waittest.Eventually(t, "the socket directory is removed", func(context.Context) bool {
				left, err := os.ReadDir(l.Dir)
				return err == nil && len(left) == 0
			})
		})
	}
}

func TestKilledFromOutside(t *testing.T) {
	t.Parallel()
	l, _ := launcher(t, testprovider.Good)
	s := launch(t, l)
	if err := syscall.Kill(pid(t, s), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	if _, err := read(t.Context(), s, "echo"); !provider.IsUnavailable(err) || !strings.Contains(err.Error(), "signal killed") {
		t.Errorf("got %v", err)
	}
}

func TestCloseWaitsForAnswers(t *testing.T) {
	t.Parallel()
	l, record := launcher(t, testprovider.Good)
	l.Dir = shortDir(t)
	s := launch(t, l)
	id := pid(t, s)
	type result struct {
		r   *tfprotov6.ReadResourceResponse
		err error
	}
	answered := make(chan result, 1)
	go func() {
		// It answers after StopProvider, like a provider that stops waiting for a task.
		r, err := read(context.Background(), s, "wait")
		answered <- result{r, err}
	}()
	waitForRead(t, record)
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if a := <-answered; a.err != nil || !strings.Contains(string(a.r.NewState.MsgPack), "cancelled") {
		t.Errorf("the call in flight: %v, want its answer", a.err)
	}
	if exists(id) {
		t.Error("the process is still there")
	}
	if left, err := os.ReadDir(l.Dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := read(t.Context(), s, "echo"); !provider.IsUnavailable(err) {
		t.Errorf("a call after Close: %v", err)
	}
}

// TestCloseReachesLateCalls checks that a call that arrives at the provider only after StopProvider
// is stopped, too.
func TestCloseReachesLateCalls(t *testing.T) {
	t.Parallel()
	l, record := launcher(t, testprovider.Late)
	s := launch(t, l)
	answered := make(chan error, 1)
	go func() {
		r, err := read(context.Background(), s, "wait")
		if err == nil && !strings.Contains(string(r.NewState.MsgPack), "cancelled") {
			err = fmt.Errorf("answered %q", r.NewState.MsgPack)
		}
		answered <- err
	}()
	waitForRecord(t, record, "sent")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the call in flight: %v", err)
	}
}

// TestAbort checks that calls in flight fail with the message of Abort, even if the process is
// stuck.
func TestAbort(t *testing.T) {
	t.Parallel()
	l, record := launcher(t, testprovider.Good)
	l.Dir = shortDir(t)
	s := launch(t, l)
	answered := make(chan error, 1)
	go func() {
		_, err := read(context.Background(), s, "wait")
		answered <- err
	}()
	waitForRead(t, record)
	if err := syscall.Kill(pid(t, s), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.(provider.Aborter).Abort("It had to be.")
	if err := <-answered; !provider.IsUnavailable(err) || !strings.Contains(err.Error(), "It had to be.") {
		t.Errorf("the call in flight: %v", err)
	}
	if _, err := read(t.Context(), s, "echo"); !provider.IsUnavailable(err) || !strings.Contains(err.Error(), "It had to be.") {
		t.Errorf("a later call: %v", err)
	}
	<-s.Done()
	if exists(pid(t, s)) {
		t.Error("the process is still there")
	}
	waittest.Eventually(t, "the socket directory is removed", func(context.Context) bool {
		left, err := os.ReadDir(l.Dir)
		return err == nil && len(left) == 0
	})
}

func TestCloseOfStubbornProvider(t *testing.T) {
	t.Parallel()
	l, _ := launcher(t, testprovider.Stubborn)
	l.StopGrace = 100 * time.Millisecond
	s := launch(t, l)
	id := pid(t, s)
	began := time.Now()
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if exists(id) {
		t.Error("the process is still there")
	}
	waittest.Eventually(t, "its child is gone", func(context.Context) bool { return !groupAlive(t, id) })
}

// groupAlive reports whether a process group has members other than zombies, which init may reap
// late.
func groupAlive(t *testing.T, group int) bool {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))
		if fields[2] == strconv.Itoa(group) && fields[0] != "Z" {
			return true
		}
	}
	return false
}

func TestCloseOfStoppedProcess(t *testing.T) {
	t.Parallel()
	l, record := launcher(t, testprovider.Good)
	l.StopGrace = 200 * time.Millisecond
	s := launch(t, l)
	go func() { _, _ = read(context.Background(), s, "wait") }()
	waitForRead(t, record)
	if err := syscall.Kill(pid(t, s), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the process has stopped", func(context.Context) bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid(t, s)) + "/stat")
		return err == nil && strings.Contains(string(stat), ") T ")
	})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := s.Close(ctx); err == nil {
		t.Error("Close says that all is well, with a call in flight")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if exists(pid(t, s)) {
		t.Error("the process is still there")
	}
}

func TestCallIsCancelled(t *testing.T) {
	t.Parallel()
	l, _ := launcher(t, testprovider.Good)
	s := launch(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := read(ctx, s, "wait"); !provider.CallError(err).HasSummary("Request cancelled") {
		t.Errorf("got %v", err)
	}
	if _, err := read(t.Context(), s, "echo"); err != nil {
		t.Errorf("a later call: %v", err)
	}
}

// TestParentDeath checks that a provider ends with this program, even if it is killed.
func TestParentDeath(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, folders := filepath.Join(t.TempDir(), "pid"), shortDir(t)
	parent := exec.Command(path, "-test.run=^TestHelperParent$")
	parent.Env = append(os.Environ(), "LANDBRIDGE_TEST_PARENT="+file, "TMPDIR="+folders)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var provider int
	waittest.Eventually(t, "the parent starts a provider", func(context.Context) bool {
		data, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		provider, err = strconv.Atoi(string(data))
		return err == nil
	})
	if !exists(provider) {
		t.Fatal("there is no provider")
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	waittest.Eventually(t, "the provider is gone", func(context.Context) bool {
		// Init may reap it late.
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(provider) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
	// Its private folder is removed later.
	private := func() []string {
		all, err := filepath.Glob(filepath.Join(folders, child.Prefix+"*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := private(); len(all) != 1 {
		t.Fatalf("private folders: %q", all)
	}
	child.RemoveLeft(folders, child.Prefix, child.Lock)
	if all := private(); len(all) != 0 {
		t.Errorf("they are left: %q", all)
	}
}

// TestHelperParent is the program of TestParentDeath.
func TestHelperParent(t *testing.T) {
	file := os.Getenv("LANDBRIDGE_TEST_PARENT")
	if file == "" {
		return
	}
	l, _ := launcher(t, testprovider.Good)
	s, err := l.Launch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".new", []byte(strconv.Itoa(pid(t, s))), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute)
}

// TestEnvironment checks that a provider inherits only the listed variables of our environment.
func TestEnvironment(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "ours")
	t.Setenv("TF_LOG", "TRACE")
	t.Setenv("HTTPS_PROXY", "http://proxy.example")
	l, _ := launcher(t, testprovider.Good)
	l.Env["THEIRS"] = "given"
	l.Env["TMPDIR"] = "/tmp"
	l.GOGC, l.MemoryLimit = 50, 100<<20
	s := launch(t, l)
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid(t, s)) + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for _, e := range strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00") {
		name, value, _ := strings.Cut(e, "=")
		if _, twice := env[name]; twice {
			t.Errorf("%s is set twice", name)
		}
		env[name] = value
	}
	for name, want := range map[string]string{
		"AWS_SECRET_ACCESS_KEY": "", "TF_LOG": "", "THEIRS": "given", "TMPDIR": "/tmp", "HTTPS_PROXY": "http://proxy.example",
		"PATH": os.Getenv("PATH"), "HOME": os.Getenv("HOME"), "GOGC": "50", "GOMEMLIMIT": strconv.Itoa(100 << 20),
		"TF_LOG_SDK": "OFF", "TF_LOG_PROVIDER": "OFF", "TF_LOG_SDK_PROTO": "OFF", "TF_LOG_SDK_FRAMEWORK": "OFF",
		"TF_LOG_SDK_MUX": "OFF", "TF_LOG_SDK_HELPER_SCHEMA": "OFF",
	} {
		if env[name] != want {
			t.Errorf("%s is %q, want %q", name, env[name], want)
		}
	}
}

// TestAlone checks that what runs alone waits for calls in flight, and is not run while an
// ephemeral resource is open.
func TestAlone(t *testing.T) {
	l, _ := launcher(t, testprovider.Good)
	s := launch(t, l).(*plugin.Server)
	never := func(context.Context) error { t.Error("it ran"); return nil }
	alone := func(wait time.Duration, f func(context.Context) error) bool {
		t.Helper()
		ran, err := s.Alone(t.Context(), wait, f)
		if err != nil {
			t.Error(err)
		}
		return ran
	}
	answered := make(chan error, 1)
	go func() {
		_, err := read(t.Context(), s, "sleep")
		answered <- err
	}()
	waittest.Eventually(t, "a call is in flight", func(context.Context) bool { return !alone(0, func(context.Context) error { return nil }) })
	if !alone(time.Minute, func(ctx context.Context) error {
		_, err := s.StopProvider(ctx, &tfprotov6.StopProviderRequest{})
		return err
	}) {
		t.Error("it did not run")
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if _, err := s.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: "opened"}); err != nil {
		t.Fatal(err)
	}
	if alone(time.Minute, never) {
		t.Error("it ran while an ephemeral resource was open")
	}
	if _, err := s.CloseEphemeralResource(t.Context(), &tfprotov6.CloseEphemeralResourceRequest{
		TypeName: "opened", Private: []byte("by another process"),
	}); err != nil {
		t.Fatal(err)
	}
	if alone(time.Minute, never) {
		t.Error("it ran while an ephemeral resource was open, and one of another process was closed")
	}
	if _, err := s.CloseEphemeralResource(t.Context(), &tfprotov6.CloseEphemeralResourceRequest{TypeName: "opened"}); err != nil {
		t.Fatal(err)
	}
	if !alone(time.Minute, func(context.Context) error { return nil }) {
		t.Error("it did not run after the ephemeral resource was closed")
	}
}

// TestGarbageOfSmallPrograms checks that the small heap of a small program may have more garbage
// than Go's default.
func TestGarbageOfSmallPrograms(t *testing.T) {
	l, _ := launcher(t, testprovider.Good)
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid(t, launch(t, l))) + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(l.Path)
	if err != nil {
		t.Fatal(err)
	}
	if small := info.Size() < 48<<20; small != slices.Contains(strings.Split(string(raw), "\x00"), "GOGC=200") {
		t.Errorf("a program of %d bytes has the environment %q", info.Size(), raw)
	}
}

func TestKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "terraform-provider-x")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	l := &plugin.Launcher{Path: path, Env: map[string]string{"SECRET": "hunter2"}}
	key := l.Key()
	if key != l.Key() || key != (&plugin.Launcher{Path: path, Env: map[string]string{"SECRET": "hunter2"}}).Key() {
		t.Error("the key is not stable")
	}
	if strings.Contains(key, "hunter2") {
		t.Error("the key tells the environment")
	}
	if key == (&plugin.Launcher{Path: path}).Key() {
		t.Error("another environment has the same key")
	}
	write("another")
	if key == l.Key() {
		t.Error("another binary has the same key")
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	l, _ := launcher(t, testprovider.Good)
	s := launch(t, l)
	before := s.(provider.UsageReporter).Usage()
	for range 40 {
		if _, err := read(t.Context(), s, "leak"); err != nil {
			t.Fatal(err)
		}
	}
	after := s.(provider.UsageReporter).Usage()
	if after.Calls-before.Calls != 40 {
		t.Errorf("got %d calls, want 40", after.Calls-before.Calls)
	}
	if grown := after.ResidentBytes - before.ResidentBytes; grown < 35<<20 || grown > 400<<20 {
		t.Errorf("it grew by %d bytes, where it kept 40 MiB", grown)
	}
	if after.CPU <= 0 {
		t.Error("it took no time")
	}
}

// logs collects log lines.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) logger(verbosity int) (out func(prefix, args string), opts funcr.Options) {
	return func(_, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, args)
	}, funcr.Options{Verbosity: verbosity}
}

func (l *logs) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// TestSecretsStayOut checks that secrets appear neither in logs nor in the error of a crash.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	var collected logs
	l, _ := launcher(t, testprovider.Good)
	l.Logger = funcr.New(collected.logger(9))
	l.Secrets = []string{"known at the start"}
	s := launch(t, l)
	secret := "p\"ss/w&rd\nof two lines"
	s.(provider.Redactor).Redact(secret)
	for _, line := range []string{
		"plain known at the start here",
		`{"@level":"warn","@message":"in JSON: p\"ss/w&rd\nof two lines","@module":"x","nested":{"list":["p\"ss/w&rd\nof two lines"]}}`,
		"in a URL: p%22ss%2Fw%26rd%0Aof+two+lines",
		"its last line: of two lines",
		"last: known at the start",
	} {
		if _, err := read(t.Context(), s, "say:"+line); err != nil {
			t.Fatal(err)
		}
	}
	// go-plugin delivers what a provider prints over gRPC, with a delay.
	waittest.Eventually(t, "the last line arrives", func(context.Context) bool { return strings.Contains(collected.text(), "last: ") })
	_, err := read(t.Context(), s, "exit")
	if !strings.Contains(err.Error(), "last: (sensitive value)") {
		t.Errorf("the error does not have the last line, redacted: %v", err)
	}
	for where, text := range map[string]string{"logs": collected.text(), "error": err.Error()} {
		for _, leak := range []string{"known at", "ss/w&rd", "ss%2Fw", "of two", "of+two"} {
			if strings.Contains(text, leak) {
				t.Errorf("%s hold %q:\n%s", where, leak, text)
			}
		}
	}
	if !strings.Contains(collected.text(), `"msg"="provider log" "text"="in JSON: (sensitive value)" "module"="x"`) {
		t.Errorf("the JSON line is not a structured log:\n%s", collected.text())
	}
}

func TestLogLines(t *testing.T) {
	for name, c := range map[string]struct {
		in        string
		verbosity int
		want      []string
	}{
		"levels": {
			`{"@level":"error","@message":"e"}` + "\n" + `{"@level":"warn","@message":"w"}` + "\n" +
				`{"@level":"info","@message":"i"}` + "\n" + `{"@level":"trace","@message":"t"}`, 0,
			[]string{`"text"="e"`, `"level"=0 "msg"="provider log" "text"="w"`},
		},
		"fields": {
			`{"@level":"warn","@message":"m","@module":"sdk","b":1,"a":"x"}`, 0, []string{
				`"text"="m" "module"="sdk" "a"="x" "b"="1"`,
			},
		},
		"plain":            {"hello\r\n", 2, []string{`"msg"="provider output" "stream"="stderr" "text"="hello"`}},
		"plain is quiet":   {"hello", 1, nil},
		"plain with level": {"[WARN] hello", 0, []string{`"text"="[WARN] hello"`}},
		"panic":            {"panic: oh no", 0, []string{`"text"="panic: oh no"`}},
		"not hclog":        {`{"a":1}`, 2, []string{`provider output`}},
		"cut off":          {`{"@level":"warn","@mess`, 2, []string{`provider output`}},
		"empty lines":      {"\n\n  \n", 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var collected logs
			plugin.LogLines(funcr.New(collected.logger(c.verbosity)), c.in)
			if len(collected.lines) != len(c.want) {
				t.Fatalf("got %q, want %q", collected.lines, c.want)
			}
			for i, want := range c.want {
				if !strings.Contains(collected.lines[i], want) {
					t.Errorf("got %s, want %s", collected.lines[i], want)
				}
			}
		})
	}
}

// TestLastLines checks that the beginning of a crash report is kept, or else the last lines.
func TestLastLines(t *testing.T) {
	var collected logs
	logger := funcr.New(collected.logger(0))
	last := plugin.LogLines(logger, "before\npanic: boom\n"+strings.Repeat("goroutine\n", 100))
	if len(last) != 12 || last[0] != "panic: boom" {
		t.Errorf("got %q", last)
	}
	last = plugin.LogLines(logger, strings.Repeat("x\n", 100)+strings.Repeat("y", 5000)+"\nlast")
	if len(last) != 12 || last[11] != "last" || len(last[10]) > 500 {
		t.Errorf("got %q", last)
	}
}

func FuzzLogLines(f *testing.F) {
	f.Add([]byte(`{"@level":"warn","@message":"m","n":[1,{"a":"b"}]}`), "secret")
	f.Add([]byte("panic: x\n\ngoroutine 1\n"), "")
	f.Add([]byte(strings.Repeat("long", 40000)), "g")
	f.Fuzz(func(t *testing.T, in []byte, secret string) {
		if len(in) > 0 {
			plugin.ParseEntry(in)
		}
		var collected logs
		last := plugin.LogLines(funcr.New(collected.logger(9)), string(in), secret)
		if len(last) > 12 {
			t.Errorf("%d lines are kept", len(last))
		}
		// The replacement of a secret, and the text around it, may contain a short one.
		if len(secret) > 8 && !strings.Contains("(sensitive value)provider output", secret) {
			for _, line := range last {
				if strings.Contains(line, secret) {
					t.Errorf("%q holds the secret", line)
				}
			}
		}
	})
}
