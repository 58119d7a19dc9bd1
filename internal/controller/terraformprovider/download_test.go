package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/provider/install"
)

func TestLocked(t *testing.T) {
	t.Parallel()
	one := func(version, checksum string) v1alpha1.LockedVersion {
		return v1alpha1.LockedVersion{Source: "acme/thing", Version: version, Checksums: []string{checksum}}
	}
	other := v1alpha1.LockedVersion{Source: "acme/other", Version: "1.0.0", Checksums: []string{"zh:o"}}
	var many []v1alpha1.LockedVersion
	for range maxLocked {
		many = append(many, other)
	}
	for name, c := range map[string]struct {
		was  []v1alpha1.LockedVersion
		now  *install.Lock
		want []v1alpha1.LockedVersion
	}{
		"no registry": {[]v1alpha1.LockedVersion{other}, nil, []v1alpha1.LockedVersion{other}},
		"first": {
			nil, &install.Lock{Version: "1.0.0", Hashes: []string{"zh:a"}},
			[]v1alpha1.LockedVersion{one("1.0.0", "zh:a")},
		},
		"another version": {
			[]v1alpha1.LockedVersion{one("1.0.0", "zh:a"), other}, &install.Lock{
				Version: "1.1.0", Hashes: []string{"zh:b"},
			}, []v1alpha1.LockedVersion{one("1.1.0", "zh:b"), one("1.0.0", "zh:a"), other},
		},
		"back to an earlier one": {
			[]v1alpha1.LockedVersion{one("1.1.0", "zh:b"), one("1.0.0", "zh:a")}, &install.Lock{
				Version: "1.0.0", Hashes: []string{"zh:a", "zh:more"},
			}, []v1alpha1.LockedVersion{one("1.0.0", "zh:a"), one("1.1.0", "zh:b")},
		},
		"a person has accepted": {
			[]v1alpha1.LockedVersion{one("1.0.0", "zh:a")}, &install.Lock{Version: "1.0.0", Hashes: []string{"zh:b"}},
			[]v1alpha1.LockedVersion{one("1.0.0", "zh:b")},
		},
		"not more than ten": {
			many, &install.Lock{Version: "1.0.0", Hashes: []string{"zh:a"}},
			append([]v1alpha1.LockedVersion{one("1.0.0", "zh:a")}, many[:maxLocked-1]...),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &v1alpha1.TerraformProvider{
				Spec:   v1alpha1.TerraformProviderSpec{Source: "acme/thing"},
				Status: v1alpha1.TerraformProviderStatus{Locked: c.was},
			}
			if diff := cmp.Diff(c.want, locked(p, c.now)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	lock := func(source, version string) v1alpha1.LockedVersion {
		return v1alpha1.LockedVersion{Source: source, Version: version}
	}
	for name, c := range map[string]struct {
		source, version string
		policy          v1alpha1.UpdatePolicy
		installed       *v1alpha1.InstalledProvider
		locked          []v1alpha1.LockedVersion
		want, current   string
	}{
		"first": {source: "acme/thing"},
		"kept": {
			"acme/thing", "~> 1.0", "", &v1alpha1.InstalledProvider{Source: "acme/thing", Version: "1.0.0"},
			[]v1alpha1.LockedVersion{lock("acme/thing", "1.0.0")}, "1.0.0", "1.0.0",
		},
		"updated": {
			"acme/thing", "~> 1.0", v1alpha1.UpdatePatch, &v1alpha1.InstalledProvider{
				Source: "acme/thing", Version: "1.0.0",
			}, []v1alpha1.LockedVersion{lock("acme/thing", "1.0.0")}, "1.0.5", "1.0.0",
		},
		"another version": {
			"acme/thing", "~> 2.0", "", &v1alpha1.InstalledProvider{Source: "acme/thing", Version: "1.0.0"},
			[]v1alpha1.LockedVersion{lock("acme/thing", "1.0.0")}, "", "",
		},
		"another source": {
			"acme/other", "~> 1.0", "", &v1alpha1.InstalledProvider{Source: "acme/thing", Version: "1.0.0"},
			[]v1alpha1.LockedVersion{lock("acme/thing", "1.0.0")}, "", "",
		},
		"from a mirror dir": {"acme/thing", "~> 1.0", "", &v1alpha1.InstalledProvider{Source: "acme/thing", Version: "1.0.0"}, nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &v1alpha1.TerraformProvider{
				Spec:   v1alpha1.TerraformProviderSpec{Source: c.source, Version: c.version, UpdatePolicy: c.policy},
				Status: v1alpha1.TerraformProviderStatus{Installed: c.installed, Locked: c.locked},
			}
			p.UID = "uid"
			r := &Reconciler{checks: newTasks[[]string](t.Context(), func(reconcile.Request) {})}
			r.checks.all[p.UID] = &task[[]string]{what: checkOf(p), value: []string{"1.1.0", "1.0.5"}, cancel: func() {}}
			want, current := r.wanted(p)
			if want.Version != c.want || current != c.current {
				t.Errorf("got %q from %q, want %q from %q", want.Version, current, c.want, c.current)
			}
		})
	}
}

func TestCheckVersions(t *testing.T) {
	t.Parallel()
	many := make([]string, 0, 30)
	for minor := 30; minor > 0; minor-- {
		many = append(many, fmt.Sprintf("1.%d.0", minor))
	}
	was := v1alpha1.TerraformProviderStatus{Available: []string{"9.0.0"}, VersionsBehind: ptr.To[int32](1)}
	for name, c := range map[string]struct {
		source    string
		from      origin
		versions  []string
		available []string
		behind    *int32
		told      *install.Behind
	}{
		"newer": {
			"acme/thing", origin{installed: v1alpha1.InstalledProvider{Version: "1.0.0"}}, []string{
				"2.0.0", "1.0.1", "1.0.0",
			}, []string{"2.0.0", "1.0.1"}, ptr.To[int32](2), &install.Behind{Versions: 2, Major: 1, Patch: 1},
		},
		"the newest": {
			"acme/thing", origin{installed: v1alpha1.InstalledProvider{Version: "1.0.0"}}, []string{"1.0.0"}, nil,
			ptr.To[int32](0), &install.Behind{},
		},
		"more than ten": {
			"acme/thing", origin{installed: v1alpha1.InstalledProvider{Version: "1.0.0"}}, many, many[:10],
			ptr.To[int32](30), &install.Behind{Versions: 30, Minor: 30},
		},
		"by path": {"/bin/thing", origin{installed: v1alpha1.InstalledProvider{}}, []string{"2.0.0"}, nil, nil, nil},
		"linked": {
			"acme/thing", origin{linked: true, installed: v1alpha1.InstalledProvider{Version: "1.0.0"}},
			[]string{"2.0.0"}, nil, nil, nil,
		},
		"attached": {"acme/thing", origin{attached: true}, []string{"2.0.0"}, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &v1alpha1.TerraformProvider{Spec: v1alpha1.TerraformProviderSpec{Source: c.source}, Status: *was.DeepCopy()}
			p.UID = "uid"
			told := &install.Behind{Versions: -1}
			r := &Reconciler{
				checks:     newTasks[[]string](t.Context(), func(reconcile.Request) {}),
				TellBehind: func(_ string, b *install.Behind) { told = b },
			}
			r.checks.all[p.UID] = &task[[]string]{
				what: checkOf(p), value: c.versions, ended: time.Now(), again: time.Now().Add(time.Hour),
				cancel: func() {},
			}
			r.checkVersions(p, c.from)
			if diff := cmp.Diff(c.available, p.Status.Available, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.behind, p.Status.VersionsBehind); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.told, told); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	again := make(chan struct{}, 10)
	s := newTasks[int](t.Context(), func(reconcile.Request) { again <- struct{}{} })
	const key = types.UID("key")
	calls := 0
	take := func(what string, every time.Duration, value int, err error) *task[int] {
		return s.take(key, what, every, reconcile.Request{}, func(context.Context) (int, error) { calls++; return value, err })
	}
	end := func() {
		t.Helper()
		select {
		case <-again:
		case <-time.After(time.Minute):
			t.Fatal("the task does not end")
		}
	}
	if take("a", 0, 1, nil) != nil {
		t.Error("it has ended before it began")
	}
	end()
	for range 2 {
		if x := take("a", 0, 2, nil); x == nil || x.value != 1 || x.err != nil {
			t.Errorf("got %+v", x)
		}
	}
	// Another one takes its place, and fails. It is not tried again at once, and has no value.
	failed := errors.New("failed")
	if take("b", 0, 0, failed) != nil {
		t.Error("the result of another task is used")
	}
	end()
	if x := take("b", 0, 0, nil); x == nil || !errors.Is(x.err, failed) || s.value(key, "b") != 0 || s.value(key, "a") != 0 {
		t.Errorf("got %+v", x)
	}
	// One that is begun again keeps its value until then.
	s.forget(key)
	if take("c", time.Nanosecond, 3, nil) != nil {
		t.Error("it has ended before it began")
	}
	end()
	s.mu.Lock()
	s.all[key].again = time.Now().Add(-time.Second)
	s.mu.Unlock()
	if take("c", time.Nanosecond, 4, nil) != nil || s.value(key, "c") != 3 && s.value(key, "c") != 4 {
		t.Errorf("the value is %d", s.value(key, "c"))
	}
	end()
	if s.value(key, "c") != 4 || calls != 4 {
		t.Errorf("the value is %d after %d calls", s.value(key, "c"), calls)
	}
	// A task that hangs ends with the program.
	s.take(key, "hangs", 0, reconcile.Request{}, func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Start(ctx); err != nil {
		t.Error(err)
	}
}

func TestFailedTaskIsTriedAgainLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var reconciles atomic.Int32
		var fails atomic.Bool
		fails.Store(true)
		s := newTasks[int](ctx, func(reconcile.Request) { reconciles.Add(1) })
		take := func() *task[int] {
			return s.take("key", "a", 0, reconcile.Request{}, func(context.Context) (int, error) {
				if fails.Load() {
					return 0, errors.New("failed")
				}
				return 1, nil
			})
		}
		take()
		synctest.Wait()
		if x := take(); x == nil || x.err == nil || reconciles.Load() != 1 {
			t.Fatalf("%d reconciles after the failure, task %+v", reconciles.Load(), x)
		}
		fails.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := reconciles.Load(); n != 2 {
			t.Fatalf("%d reconciles, want one more when it may be tried again", n)
		}
		take()
		synctest.Wait()
		if x := take(); x == nil || x.err != nil || x.value != 1 {
			t.Errorf("got %+v", x)
		}
		// The end of a task that is not needed any more is not reported.
		fails.Store(true)
		s.forget("key")
		take()
		synctest.Wait()
		s.forget("key")
		before := reconciles.Load()
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := reconciles.Load(); n != before {
			t.Errorf("%d reconciles for a task that was forgotten", n-before)
		}
	})
}
