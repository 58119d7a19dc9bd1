package pool_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// readFor is read, given up after a time.
func readFor(d time.Duration, s provider.Server, typ string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	a, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ})
	if err != nil || a.NewState == nil {
		return "", err
	}
	return string(a.NewState.MsgPack), nil
}

// processID is what the provider's ReadResource says of "pid".
func processID(t *testing.T, s provider.Server) int {
	t.Helper()
	text, err := read(s, "pid")
	if err != nil {
		t.Fatal(err)
	}
	v, err := ctymsgpack.Unmarshal([]byte(text), cty.String)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(v.AsString())
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// given makes keys of two configurations of one provider.
func given(t *testing.T) (key, other pool.Key) {
	l := processes(t)
	return pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "one")}),
		pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "two")})
}

// TestHang proves that a server whose calls hang is replaced, that what it does all the same is
// not cut, and that another configuration does not notice.
func TestHang(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{MinBackoff: 300 * time.Millisecond})
	key, other := given(t)
	lease, long := acquire(t, p, key), acquire(t, p, key)
	first := processID(t, lease.Server())
	answered := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		// An operation that takes its time.
		a, err := long.Server().ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: "sleep"})
		if err == nil && !strings.Contains(string(a.NewState.MsgPack), "slept") {
			err = fmt.Errorf("answered %q", a.NewState.MsgPack)
		}
		long.Release()
		answered <- err
	}()
	defer cancel()
	for range 2 {
		if _, err := readFor(100*time.Millisecond, lease.Server(), "stuck"); !provider.CallError(err).HasSummary("Request cancelled") {
			t.Fatal(err)
		}
	}
	// One that is answered proves that it was not the server.
	if _, err := read(lease.Server(), "echo"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if f := p.Failure(key); f != nil {
			t.Fatalf("given up too early: %v", f)
		}
		_, _ = readFor(100*time.Millisecond, lease.Server(), "stuck")
	}
	waittest.Eventually(t, "the server is given up", func(context.Context) bool { return p.Failure(key) != nil })
	if f := p.Failure(key); f.Reason != pool.Hung || !strings.Contains(f.Error(), "3 calls in a row") || f.RetryAt.IsZero() {
		t.Errorf("got %v", f)
	}
	lease.Release()
	began := time.Now()
	with := acquire(t, p, other)
	if _, err := read(with.Server(), "echo"); err != nil || p.Failure(other) != nil {
		t.Errorf("another configuration: %v, %v", err, p.Failure(other))
	}
	with.Release()
	t.Logf("another configuration had its server after %s", time.Since(began))
	for f := p.Failure(key); f != nil; f = p.Failure(key) {
		time.Sleep(f.RetryAfter())
		if l, _ := p.TryAcquire(t.Context(), key); l != nil {
			l.Release()
		}
	}
	lease = acquire(t, p, key)
	defer lease.Release()
	if second := processID(t, lease.Server()); second == first {
		t.Error("it is the same process")
	}
	if err := <-answered; err != nil {
		t.Errorf("the operation: %v", err)
	}
	waittest.Eventually(t, "the process that hung is gone", func(context.Context) bool { return syscall.Kill(first, 0) != nil })
	if s := p.Stats(); s.Hangs != 1 || s.Crashes != 0 || s.Starts != 3 {
		t.Errorf("got %+v", s)
	}
}

// TestHungProcess proves that a process that does nothing any more is killed, and that those who
// call it are told.
func TestHungProcess(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{MinBackoff: time.Minute, AnswerTimeout: 300 * time.Millisecond})
	key, other := given(t)
	lease, with := acquire(t, p, key), acquire(t, p, other)
	defer with.Release()
	pid := processID(t, lease.Server())
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the process has stopped", func(context.Context) bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err == nil && strings.Contains(string(stat), ") T ")
	})
	operation := make(chan error, 1)
	go func() {
		_, err := read(lease.Server(), "echo")
		operation <- err
	}()
	if _, err := readFor(100*time.Millisecond, lease.Server(), "echo"); err == nil {
		t.Fatal("a stopped process answers")
	}
	if err := <-operation; !provider.IsUnavailable(err) || !strings.Contains(err.Error(), "answered nothing any more") {
		t.Errorf("who called it was told %v", err)
	}
	lease.Release()
	if f := p.Failure(key); f == nil || f.Reason != pool.Hung || f.RetryAfter() < 50*time.Second {
		t.Errorf("got %v", f)
	}
	if _, f := p.TryAcquire(t.Context(), key); f == nil || f.Reason != pool.Hung {
		t.Errorf("got %v, want that no caller waits for it", f)
	}
	waittest.Eventually(t, "the process is gone", func(context.Context) bool { return syscall.Kill(pid, 0) != nil })
	if _, err := read(with.Server(), "echo"); err != nil {
		t.Errorf("another configuration: %v", err)
	}
	if s := p.Stats(); s.Hangs != 1 || s.Crashes != 0 || s.Servers != 1 {
		t.Errorf("got %+v", s)
	}
}

// TestMemoryLimit proves that a process that holds too much gets no more work, may finish what
// it has, and that users are told.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	const limit = 120 << 20
	p := newPool(t, pool.Options{MinBackoff: 300 * time.Millisecond, Growth: 1 << 40, Limits: pool.Limits{MemoryBytes: limit}})
	key, _ := given(t)
	lease := acquire(t, p, key)
	pid := processID(t, lease.Server())
	for p.Failure(key) == nil {
		if lease.Server().(provider.UsageReporter).Usage().ResidentBytes < limit+5<<20 {
			if _, err := read(lease.Server(), "leak"); err != nil { // a megabyte
				t.Fatal(err)
			}
		}
		time.Sleep(time.Millisecond)
	}
	f := p.Failure(key)
	if f == nil || f.Reason != pool.OutOfMemory || !strings.Contains(f.Error(), "120 MiB is its limit") || f.RetryAt.IsZero() {
		t.Errorf("got %v", f)
	}
	if _, err := read(lease.Server(), "echo"); err != nil {
		t.Errorf("what it has to do was cut: %v", err)
	}
	lease.Release()
	waittest.Eventually(t, "the process is gone", func(context.Context) bool { return syscall.Kill(pid, 0) != nil })
	time.Sleep(f.RetryAfter())
	acquire(t, p, key).Release()
	if s := p.Stats(); s.Outgrown != 1 || s.Crashes != 0 || s.Starts != 2 || s.Servers != 1 {
		t.Errorf("got %+v", s)
	}
}

// TestMemoryBlowUp proves that a process that holds more and more is ended at once.
func TestMemoryBlowUp(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{MinBackoff: time.Minute})
	_, other := given(t)
	key := pool.Prepare(pool.Configuration{Launcher: processes(t), Config: config("", "one"), Limits: pool.Limits{MemoryBytes: 80 << 20}})
	lease, with := acquire(t, p, key), acquire(t, p, other)
	defer lease.Release()
	defer with.Release()
	if _, err := read(lease.Server(), "grow"); !provider.IsUnavailable(err) || !strings.Contains(err.Error(), "80 MiB is its limit") {
		t.Errorf("who called it was told %v", err)
	}
	if f := p.Failure(key); f == nil || f.Reason != pool.OutOfMemory {
		t.Errorf("got %v", f)
	}
	if _, err := read(with.Server(), "echo"); err != nil {
		t.Errorf("another configuration, without a limit: %v", err)
	}
}

// TestSlowStart proves that those who can come back do not wait for a start that takes long,
// and that others do.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{Patience: 200 * time.Millisecond})
	l := processes(t)
	l.Env = testprovider.Env(testprovider.SlowStart, "")
	key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
	got := make(chan *pool.Lease, 1)
	go func() {
		l, _ := p.Acquire(context.Background(), key)
		got <- l
	}()
	began := time.Now()
	for range 5 {
		_, f := p.TryAcquire(t.Context(), key)
		if f == nil || f.Reason != pool.Starting || !f.Passing || f.RetryAfter() < 500*time.Millisecond {
			t.Fatalf("got %v", f)
		}
	}
	if took := time.Since(began); took < 150*time.Millisecond || took > 20*time.Second {
		t.Errorf("five waited for %s, one after the other", took)
	}
	if lease := <-got; lease == nil {
		t.Error("it did not start")
	} else {
		lease.Release()
	}
	lease, f := p.TryAcquire(t.Context(), key)
	if f != nil {
		t.Fatal(f)
	}
	lease.Release()
}

// TestProbe proves that a provider that was started after a failure is tried by one before
// others come, and that who cannot come back is not kept out.
func TestProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{})
		l := newCounting()
		l.fail.Store(true)
		key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
		if _, f := p.TryAcquire(t.Context(), key); f == nil {
			t.Fatal("it started")
		}
		l.fail.Store(false)
		time.Sleep(time.Second)
		try := func(refused bool) *pool.Lease {
			t.Helper()
			lease, f := p.TryAcquire(t.Context(), key)
			if refused != (f != nil) || f != nil && (f.Reason != pool.Starting || f.RetryAfter() < time.Second) {
				t.Errorf("got %v, want a refusal: %v", f, refused)
			}
			return lease
		}
		probe := try(false)
		try(true)
		acquire(t, p, key).Release()
		probe.Release() // it was of no use
		probe = try(false)
		try(true)
		time.Sleep(time.Minute) // it hangs
		if _, f := p.TryAcquire(t.Context(), key); f == nil || f.Passing {
			t.Errorf("got %v, which is worth telling by now", f)
		}
		if _, err := read(probe.Server(), "echo"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			defer try(false).Release()
		}
		probe.Release()
	})
}

// TestRetryStorm proves that however many want a provider that crashes at once, it is started
// seldom, and no caller waits.
func TestRetryStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{})
		l := newCounting()
		l.fail.Store(true)
		key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
		other := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", "other")})
		var asked atomic.Int64
		began := time.Now()
		done := make(chan struct{})
		for range 1000 {
			go func() {
				defer func() { done <- struct{}{} }()
				for time.Since(began) < time.Hour {
					asked.Add(1)
					at := time.Now()
					_, f := p.TryAcquire(context.Background(), key)
					if f == nil || f.RetryAfter() == 0 || time.Since(at) > 0 {
						t.Errorf("after %s: %v", time.Since(at), f)
						return
					}
					if d, ok := diagnostic.As(f); !ok || !d.HasErrors() {
						t.Errorf("no diagnostics: %v", f)
					}
					time.Sleep(f.RetryAfter())
				}
			}()
		}
		acquire(t, p, other).Release()
		for range 1000 {
			<-done
		}
		if n := l.launched.Load(); n > 22 {
			t.Errorf("it was started %d times within an hour", n)
		}
		if n := asked.Load(); n > 22*1000 {
			t.Errorf("1,000 asked %d times within an hour", n)
		}
	})
}
