package pool_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// as returns a context for the calls of a revision of a resource.
func as(ctx context.Context, namespace, name, revision string) context.Context {
	return provider.WithRevision(provider.WithUser(ctx, provider.User{Namespace: namespace, Resource: name}), revision)
}

// reader reads objects for resources, each time with a lease of its own.
type reader struct {
	*testing.T
	pool *pool.Pool
	key  pool.Key
}

// read returns the failure of the lease, or the error of the call.
func (r reader) read(ctx context.Context, typ string) (*pool.Failure, error) {
	r.Helper()
	lease, f := r.pool.TryAcquire(ctx, r.key)
	if f != nil {
		return f, nil
	}
	defer lease.Release()
	_, err := lease.Server().ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ})
	return nil, err
}

// answered reads until the provider answers, and returns how long that took.
func (r reader) answered(ctx context.Context, typ string) time.Duration {
	r.Helper()
	begin := time.Now()
	waittest.Eventually(r.T, typ+" is answered", func(context.Context) bool {
		f, err := r.read(ctx, typ)
		return f == nil && err == nil
	})
	return time.Since(begin)
}

// crashes reads until the provider has crashed, and returns the failures of leases before.
func (r reader) crashes(ctx context.Context) (before []pool.Reason) {
	r.Helper()
	waittest.Eventually(r.T, "the provider crashes", func(context.Context) bool {
		f, err := r.read(ctx, "crash")
		if f != nil && !slices.Contains(before, f.Reason) {
			before = append(before, f.Reason)
		}
		return err != nil
	})
	return before
}

// One resource at which the provider crashes has a process of its own, and is reported as the cause
// after two crashes, until it is changed. Everyone else goes on.
func TestCrashOfOneResource(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{MinBackoff: 20 * time.Millisecond})
	key, _ := given(t)
	r := reader{t, p, key}
	good, bad := as(t.Context(), "victim", "good", "1"), as(t.Context(), "mallory", "bad", "1")
	r.answered(good, "echo")
	r.crashes(bad)
	waittest.Eventually(t, "the crash is noticed", func(context.Context) bool { return p.Stats().Crashes == 1 })
	if took := r.answered(good, "echo"); took > 5*time.Second {
		t.Errorf("others waited for %s", took)
	}
	r.crashes(bad)
	waittest.Eventually(t, "the resource is reported as the cause", func(context.Context) bool {
		f, _ := r.read(bad, "crash")
		return f != nil && f.OfResource && f.Reason == pool.Crashed && f.RetryAfter() > 10*time.Minute
	})
	u := provider.User{Namespace: "mallory", Resource: "bad"}
	if f := p.FailureFor(u, key); f == nil || !f.OfResource {
		t.Errorf("got %v", f)
	}
	if f := p.Failure(key); f != nil {
		t.Errorf("the configuration fails, too: %v", f)
	}
	if s := p.Stats(); s.Crashes != 2 {
		t.Errorf("got %+v", s)
	}
	r.answered(good, "echo")
	if s := p.Stats(); s.Starts != 3 {
		t.Errorf("got %+v: the process of the others was started again", s)
	}

	// Another revision is tried at once, and goes on with all others once it is answered.
	changed := as(t.Context(), "mallory", "bad", "2")
	if f, err := r.read(changed, "echo"); f != nil || err != nil {
		t.Errorf("the changed resource: %v, %v", f, err)
	}
	waittest.Eventually(t, "its process has ended", func(context.Context) bool { return p.Stats().Servers == 1 })
	if f, err := r.read(changed, "echo"); f != nil || err != nil || p.Stats().Servers != 1 {
		t.Errorf("it has no place among the others: %v, %v, %+v", f, err, p.Stats())
	}
}

// Calls that were in flight when another resource crashed the provider end their isolation by an
// answer.
func TestCallsBesideACrash(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{MinBackoff: 20 * time.Millisecond})
	key, _ := given(t)
	r := reader{t, p, key}
	r.answered(as(t.Context(), "a", "x", ""), "echo")
	waiting, answers := make(chan struct{}), make(chan struct{})
	for i := range 3 {
		ctx := as(t.Context(), "a", fmt.Sprint("waiting-", i), "")
		go func() {
			lease, diags := p.Acquire(ctx, key)
			waiting <- struct{}{}
			if !diags.HasErrors() {
				_, _ = lease.Server().ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: "sleep"})
				lease.Release()
			}
			answers <- struct{}{}
		}()
		<-waiting
	}
	r.crashes(as(t.Context(), "b", "bad", ""))
	for range 3 {
		<-answers
	}
	for i := range 3 {
		if took := r.answered(as(t.Context(), "a", fmt.Sprint("waiting-", i), ""), "echo"); took > 5*time.Second {
			t.Errorf("waited for %s", took)
		}
	}
	waittest.Eventually(t, "all processes of isolated resources have ended", func(context.Context) bool { return p.Stats().Servers == 1 })
	if f, _ := r.read(as(t.Context(), "b", "bad", ""), "crash"); f != nil && f.OfResource {
		t.Errorf("reported for one crash among others: %v", f)
	}
}

// A provider that crashes at whatever it is asked is started again more and more slowly for all,
// and resources are not reported as the cause of that.
func TestCrashesOfTheProvider(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{MinBackoff: 200 * time.Millisecond})
	key, _ := given(t)
	r := reader{t, p, key}
	reported := false
	waittest.Eventually(t, "it is started more and more seldom", func(context.Context) bool {
		rested := true
		for namespace := range 3 {
			f, _ := r.read(as(t.Context(), fmt.Sprint("n", namespace), "x", ""), "crash")
			reported = reported || f != nil && f.OfResource
			rested = rested && f != nil && f.RetryAfter() > 400*time.Millisecond
		}
		return rested
	})
	if reported {
		t.Error("a resource is reported as the cause")
	}
	// 200, 400, 800 ms between the last ones.
	if s := p.Stats(); s.Crashes > 12 {
		t.Errorf("got %+v", s)
	}
}

// A resource whose calls hang costs the others no more than a fresh process.
func TestHangOfOneResource(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{MinBackoff: time.Minute})
	key, _ := given(t)
	r := reader{t, p, key}
	good, bad := as(t.Context(), "victim", "good", ""), as(t.Context(), "mallory", "bad", "")
	r.answered(good, "echo")
	for range 3 {
		ctx, cancel := context.WithTimeout(bad, 100*time.Millisecond)
		_, _ = r.read(ctx, "stuck")
		cancel()
	}
	waittest.Eventually(t, "the process that hangs is replaced", func(context.Context) bool { return p.Stats().Hangs == 1 })
	if took := r.answered(good, "echo"); took > 5*time.Second || p.Failure(key) != nil {
		t.Errorf("others waited for %s: %v", took, p.Failure(key))
	}
	waittest.Eventually(t, "the resource has a process of its own", func(context.Context) bool {
		r.answered(good, "echo")
		_, _ = r.read(bad, "echo")
		return p.Stats().Starts == 3
	})
}
