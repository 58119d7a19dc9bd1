package pool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

func TestMain(m *testing.M) {
	testprovider.Main() // this binary is the providers, too
	os.Exit(m.Run())
}

// config is a configuration of testprovider.
func config(behave, token string) cty.Value {
	v := func(s string) cty.Value {
		if s == "" {
			return cty.NullVal(cty.String)
		}
		return cty.StringVal(s)
	}
	return cty.ObjectVal(map[string]cty.Value{"behave": v(behave), "token": v(token)})
}

// counting counts what its servers go through.
type counting struct {
	inprocess.Launcher
	launched, validated, configured, stopped atomic.Int64
	version                                  atomic.Value
	fail                                     atomic.Bool
	// trouble, if it is not empty, is the error of all reads. calls counts them, and takes is how
	// long they take.
	trouble atomic.Value
	calls   atomic.Int64
	takes   atomic.Int64
	// deferred, if it is not 0, is the reason with which all reads are deferred.
	deferred atomic.Int64
}

func newCounting() *counting {
	l := &counting{}
	l.Name = "test"
	l.Protocol6 = inprocess.WithoutError(func() tfprotov6.ProviderServer {
		return testprovider.Server{
			Core: &testprovider.Core{
				Protocol: 6, Schema: testprovider.Schema(),
				Behave: func(ctx context.Context, method string, request any) (any, error) {
					switch method {
					case "ValidateProviderConfig":
						l.validated.Add(1)
					case "ConfigureProvider":
						l.configured.Add(1)
						l.version.Store(request.(*tfprotov6.ConfigureProviderRequest).TerraformVersion)
					case "StopProvider":
						l.stopped.Add(1)
					case "ImportResourceState":
						return &tfprotov6.ImportResourceStateResponse{}, nil
					case "PlanResourceChange":
						return &tfprotov6.PlanResourceChangeResponse{}, nil
					case "ReadResource":
						l.calls.Add(1)
						time.Sleep(time.Duration(l.takes.Load()))
						if reason := l.deferred.Load(); reason != 0 {
							return &tfprotov6.ReadResourceResponse{Deferred: &tfprotov6.Deferred{Reason: tfprotov6.DeferredReason(reason)}}, nil
						}
						if text, _ := l.trouble.Load().(string); text != "" {
							return &tfprotov6.ReadResourceResponse{Diagnostics: []*tfprotov6.Diagnostic{{
								Severity: tfprotov6.DiagnosticSeverityError, Summary: "Error reading", Detail: text,
							}}}, nil
						}
					}
					return testprovider.Behave(ctx, method, request)
				},
			},
		}
	})
	return l
}

func (l *counting) Launch(ctx context.Context) (provider.Server, error) {
	l.launched.Add(1)
	if l.fail.Load() {
		return nil, errors.New("it is broken")
	}
	return l.Launcher.Launch(ctx)
}

func processes(t testing.TB) *plugin.Launcher {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &plugin.Launcher{Path: path, Env: testprovider.Env(testprovider.Good, "")}
}

func newPool(t testing.TB, o pool.Options) *pool.Pool {
	p := pool.New(o)
	t.Cleanup(func() { closePool(t, p) })
	return p
}

func closePool(t testing.TB, p *pool.Pool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.Close(ctx); err != nil {
		t.Error(err)
	}
}

func acquire(t testing.TB, p *pool.Pool, key pool.Key) *pool.Lease {
	t.Helper()
	l, diags := p.Acquire(context.Background(), key)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return l
}

func read(s provider.Server, typ string) (string, error) {
	a, err := s.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{TypeName: typ})
	if err != nil || a.NewState == nil {
		return "", err
	}
	return string(a.NewState.MsgPack), nil
}

// TestVectors are the contract's test vectors for a pool of processes.
func TestVectors(t *testing.T) {
	t.Run("two configurations have two processes (V124)", func(t *testing.T) {
		p := newPool(t, pool.Options{})
		l := processes(t)
		pids := map[string]bool{}
		for _, token := range []string{"one", "two", "one"} {
			lease := acquire(t, p, pool.Prepare(pool.Configuration{Launcher: l, Config: config("", token)}))
			pid, err := read(lease.Server(), "pid")
			if err != nil {
				t.Fatal(err)
			}
			pids[pid] = true
			lease.Release()
		}
		if len(pids) != 2 || p.Stats().Starts != 2 {
			t.Errorf("two configurations have %d processes and %d starts, want 2", len(pids), p.Stats().Starts)
		}
	})
}

func TestOneServerPerConfiguration(t *testing.T) {
	p := newPool(t, pool.Options{})
	l := newCounting()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			lease := acquire(t, p, pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "x")}))
			defer lease.Release()
			if _, err := read(lease.Server(), "echo"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if l.launched.Load() != 1 || l.validated.Load() != 1 || l.configured.Load() != 1 {
		t.Errorf("%d launched, %d validated, %d configured; want 1 each", l.launched.Load(), l.validated.Load(), l.configured.Load())
	}
	if got := l.version.Load(); got != "1.16.0" {
		t.Errorf("the provider was told version %q", got)
	}
}

func TestKeys(t *testing.T) {
	l, other := newCounting(), newCounting()
	other.Name = "other"
	key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "hunter2")})
	for name, c := range map[string]struct {
		pool.Configuration
		equal bool
	}{
		"the same":         {pool.Configuration{Launcher: l, Config: config("", "hunter2")}, true},
		"marked":           {pool.Configuration{Launcher: l, Config: config("", "hunter2").Mark("secret")}, true},
		"default version":  {pool.Configuration{Launcher: l, Config: config("", "hunter2"), TerraformVersion: "1.16.0"}, true},
		"another token":    {pool.Configuration{Launcher: l, Config: config("", "hunter3")}, false},
		"another version":  {pool.Configuration{Launcher: l, Config: config("", "hunter2"), TerraformVersion: "1.13.0"}, false},
		"another provider": {pool.Configuration{Launcher: other, Config: config("", "hunter2")}, false},
		"null, not absent": {pool.Configuration{Launcher: l, Config: cty.NullVal(config("", "").Type())}, false},
	} {
		if got := pool.Prepare(c.Configuration).Equal(key); got != c.equal {
			t.Errorf("%s: equal is %v", name, got)
		}
	}
	if text := fmt.Sprint(key); strings.Contains(text, "hunter2") {
		t.Errorf("a key prints the configuration: %s", text)
	}
}

func TestFailures(t *testing.T) {
	broken := newCounting()
	broken.fail.Store(true)
	for name, c := range map[string]struct {
		pool.Configuration
		reason  pool.Reason
		summary string
	}{
		"start":     {pool.Configuration{Launcher: broken, Config: config("", "")}, pool.StartFailed, "Failed to start provider"},
		"invalid":   {pool.Configuration{Launcher: newCounting(), Config: config("invalid", "")}, pool.InvalidConfig, "Invalid behave"},
		"configure": {pool.Configuration{Launcher: newCounting(), Config: config("fail", "")}, pool.ConfigureFailed, "Failed to log in"},
		"crash":     {pool.Configuration{Launcher: newCounting(), Config: config("crash", "")}, pool.ConfigureFailed, "Plugin did not respond"},
		"type": {
			pool.Configuration{Launcher: newCounting(), Config: cty.EmptyObjectVal}, pool.InvalidConfig,
			"Invalid provider configuration",
		},
		"unknown": {
			pool.Configuration{Launcher: newCounting(), Config: cty.UnknownVal(cty.String)}, pool.InvalidConfig,
			"Invalid provider configuration",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(t, pool.Options{})
			key := pool.Prepare(c.Configuration)
			lease, diags := p.Acquire(t.Context(), key)
			if lease != nil || !diags.HasSummary(c.summary) {
				t.Errorf("got %v and %v, want %q", lease, diags, c.summary)
			}
			f := p.Failure(key)
			if f == nil || f.Reason != c.reason {
				t.Fatalf("got failure %v, want reason %s", f, c.reason)
			}
			if d, ok := diagnostic.As(f); !ok || !d.HasSummary(c.summary) {
				t.Errorf("the failure's diagnostics are %v", d)
			}
		})
	}
}

// TestBackoff proves that a provider that fails is not started in a hot loop.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{MinBackoff: time.Second, MaxBackoff: 4 * time.Second})
		l := newCounting()
		l.fail.Store(true)
		key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
		began := time.Now()
		var starts []time.Duration
		for time.Since(began) < 16*time.Second {
			before := l.launched.Load()
			if _, diags := p.Acquire(t.Context(), key); !diags.HasErrors() {
				t.Fatal("it started")
			}
			if l.launched.Load() > before {
				starts = append(starts, time.Since(began))
			}
			if after := p.Failure(key).RetryAfter(); after <= 0 || after > 4*time.Second {
				t.Fatalf("RetryAfter is %s", after)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if got, want := fmt.Sprint(starts), "[0s 1s 3s 7s 11s 15s]"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
		l.fail.Store(false)
		time.Sleep(4 * time.Second)
		acquire(t, p, key).Release()
		if f := p.Failure(key); f != nil {
			t.Errorf("there is a server, and a failure: %s", f)
		}
	})
}

func TestCrash(t *testing.T) {
	p := newPool(t, pool.Options{MinBackoff: 300 * time.Millisecond})
	key := pool.Prepare(pool.Configuration{Launcher: processes(t), Config: config("", "")})
	lease := acquire(t, p, key)
	if _, err := read(lease.Server(), "crash"); !provider.IsUnavailable(err) {
		t.Fatal(err)
	}
	<-lease.Server().Done()
	lease.Release()
	var diags diagnostic.Diagnostics
	for deadline := time.Now().Add(5 * time.Second); !diags.HasErrors() && time.Now().Before(deadline); {
		lease, diags = p.Acquire(t.Context(), key)
		if lease != nil {
			lease.Release()
		}
	}
	if !strings.Contains(diags.String(), "crashed in ReadResource") {
		t.Errorf("the diagnostics do not say why it crashed: %s", diags)
	}
	f := p.Failure(key)
	if f == nil || f.Reason != pool.Crashed || f.RetryAfter() > 300*time.Millisecond {
		t.Fatalf("got %v", f)
	}
	time.Sleep(f.RetryAfter())
	lease = acquire(t, p, key)
	defer lease.Release()
	if _, err := read(lease.Server(), "echo"); err != nil {
		t.Error(err)
	}
	if s := p.Stats(); s.Starts != 2 || s.Crashes != 1 || s.Servers != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{IdleTimeout: time.Minute})
		l := newCounting()
		key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
		lease := acquire(t, p, key)
		time.Sleep(5 * time.Minute)
		if p.Stats().Servers != 1 {
			t.Error("a leased server was closed")
		}
		lease.Release()
		lease.Release()
		time.Sleep(30 * time.Second)
		if p.Stats().Servers != 1 {
			t.Error("the server was closed too early")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := p.Stats(); s.Servers != 0 || s.Crashes != 0 {
			t.Errorf("got %+v, want no server", s)
		}
		<-lease.Server().Done()
		acquire(t, p, key).Release()
		if l.configured.Load() != 2 {
			t.Errorf("configured %d times", l.configured.Load())
		}
	})
}

// TestReplacement proves that servers that have answered many calls are replaced, and that
// no lease loses its server.
func TestReplacement(t *testing.T) {
	p := newPool(t, pool.Options{MaxCalls: 100})
	l := newCounting()
	key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
	long := acquire(t, p, key)
	first := long.Server()
	for range 1000 {
		lease := acquire(t, p, key)
		if _, err := read(lease.Server(), "echo"); err != nil {
			t.Fatal(err)
		}
		lease.Release()
		time.Sleep(20 * time.Microsecond)
	}
	if s := p.Stats(); s.Replacements < 3 || s.Replacements > 12 || s.Crashes != 0 {
		t.Errorf("got %+v, want about 8 replacements", s)
	}
	if _, err := read(first, "echo"); err != nil {
		t.Errorf("the leased server was closed: %v", err)
	}
	long.Release()
	select {
	case <-first.Done():
	case <-time.After(5 * time.Second):
		t.Error("the replaced server was not closed when it was released")
	}
}

// TestMemory proves that a process that leaks is replaced, again and again, and no call is cut.
func TestMemory(t *testing.T) {
	p := newPool(t, pool.Options{Growth: 40 << 20})
	key := pool.Prepare(pool.Configuration{Launcher: processes(t), Config: config("", "")})
	for i := 0; p.Stats().Replacements < 2; i++ {
		if i == 100_000 {
			t.Fatalf("after %d calls: %+v, want replacements", i, p.Stats())
		}
		lease := acquire(t, p, key)
		typ := "echo"
		if i%20 == 0 {
			typ = "leak" // a megabyte
		}
		if _, err := read(lease.Server(), typ); err != nil {
			t.Fatal(err)
		}
		lease.Release()
	}
	// The first to be replaced showed that it leaks, so that its successor was relieved, in vain.
	if s := p.Stats(); s.Crashes != 0 || s.Reliefs == 0 {
		t.Errorf("got %+v", s)
	}
}

// TestReliefDuringOperation checks that a lease which is held, as during an operation, does not
// keep a server from being relieved between its calls, and that a call in flight is not cut.
func TestReliefDuringOperation(t *testing.T) {
	p := newPool(t, pool.Options{Growth: 40 << 20})
	key := pool.Prepare(pool.Configuration{Launcher: processes(t), Config: config("", "")})
	call := func(typ string) {
		t.Helper()
		lease := acquire(t, p, key)
		defer lease.Release()
		if _, err := read(lease.Server(), typ); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; p.Stats().Replacements < 1; i++ { // it shows that it leaks
		if i == 100_000 {
			t.Fatalf("after %d calls: %+v, want a replacement", i, p.Stats())
		}
		call([]string{"leak", "echo", "echo", "echo", "echo", "echo", "echo", "echo"}[i%8])
	}
	held := acquire(t, p, key)
	defer held.Release()
	for i := 0; p.Stats().Reliefs < 1; i++ {
		if i == 10_000 {
			t.Fatalf("after %d calls: %+v, want a relief", i, p.Stats())
		}
		call("echo")
	}
	if a, err := read(held.Server(), "sleep"); err != nil || !strings.HasSuffix(a, "slept") {
		t.Errorf("the held lease: %q, %v", a, err)
	}
	if s := p.Stats(); s.Replacements != 1 || s.Crashes != 0 {
		t.Errorf("got %+v", s)
	}
}

func TestAcquireIsCancelled(t *testing.T) {
	p := newPool(t, pool.Options{})
	l := processes(t)
	l.Env = testprovider.Env(testprovider.Hang, "")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, diags := p.Acquire(ctx,
		pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})); !diags.HasSummary("Request cancelled") {
		t.Errorf("got %v", diags)
	}
}

func TestClose(t *testing.T) {
	p := pool.New(pool.Options{})
	key := pool.Prepare(pool.Configuration{Launcher: processes(t), Config: config("", "")})
	lease := acquire(t, p, key)
	answered := make(chan error, 1)
	go func() {
		// It answers when it is told to stop.
		a, err := read(lease.Server(), "wait")
		if err == nil && !strings.Contains(a, "cancelled") {
			err = fmt.Errorf("answered %q", a)
		}
		answered <- err
	}()
	time.Sleep(100 * time.Millisecond)
	closePool(t, p)
	if err := <-answered; err != nil {
		t.Errorf("the call in flight: %v", err)
	}
	if _, diags := p.Acquire(t.Context(), key); !diags.HasErrors() {
		t.Error("a closed pool gives leases")
	}
	if f := p.Failure(key); f == nil || f.Reason != pool.Closed {
		t.Errorf("got %v", f)
	}
	if p.Stats().Servers != 0 {
		t.Errorf("got %+v", p.Stats())
	}
	lease.Release()
	closePool(t, p)
}

// TestNoSecrets proves that the configuration's secrets appear in no log and no error.
func TestNoSecrets(t *testing.T) {
	const secret = "tok-3f9a-secret"
	for name, c := range map[string]pool.Configuration{
		"of a sensitive attribute": {Config: config("", secret)},
		"from a Secret":            {Config: config("", ""), Secrets: []string{secret}},
	} {
		t.Run(name, func(t *testing.T) { testNoSecrets(t, c, secret) })
	}
}

func testNoSecrets(t *testing.T, c pool.Configuration, secret string) {
	t.Helper()
	var mu sync.Mutex
	var logs strings.Builder
	logger := funcr.New(func(_, args string) {
		mu.Lock()
		defer mu.Unlock()
		logs.WriteString(args + "\n")
	}, funcr.Options{Verbosity: 9})
	p := newPool(t, pool.Options{Logger: logger, MinBackoff: time.Minute})
	l := processes(t)
	l.Logger = logger
	c.Launcher = l
	key := pool.Prepare(c)
	lease := acquire(t, p, key)
	if _, err := read(lease.Server(), "say:using "+secret); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the line arrives", func(context.Context) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(logs.String(), "using ")
	})
	_, err := read(lease.Server(), "exit")
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "using (sensitive value)") {
		t.Errorf("got error %v", err)
	}
	lease.Release()
	waittest.Eventually(t, "the end is noticed", func(context.Context) bool { return p.Failure(key) != nil })
	_, diags := p.Acquire(t.Context(), key)
	mu.Lock()
	defer mu.Unlock()
	for where, text := range map[string]string{"logs": logs.String(), "diagnostics": diags.String(), "failure": p.Failure(key).Error()} {
		if strings.Contains(text, secret) || text == "" {
			t.Errorf("%s: %s", where, text)
		}
	}
}

func BenchmarkAcquire(b *testing.B) {
	p := newPool(b, pool.Options{MaxCalls: 1 << 60})
	key := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", "x")})
	acquire(b, p, key).Release()
	b.ReportAllocs()
	for b.Loop() {
		lease, _ := p.Acquire(context.Background(), key)
		lease.Release()
	}
}
