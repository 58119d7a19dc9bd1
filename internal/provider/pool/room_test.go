package pool_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// numbered returns the key of one of many configurations of a namespace.
func numbered(l *counting, namespace string, i int) pool.Key {
	return pool.Prepare(pool.Configuration{Launcher: l, Config: config("", fmt.Sprint(namespace, i)), Namespace: namespace})
}

// TestIdleServersMakeRoom checks that there are never more servers than the limit, and that those
// in use stay.
func TestIdleServersMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{MaxServers: 5, MaxServersPerNamespace: 3})
		l := newCounting()
		used := acquire(t, p, numbered(l, "a", 0))
		for i := range 20 {
			acquire(t, p, numbered(l, "a", i)).Release()
			synctest.Wait()
			if n := p.Stats().Servers; n > 3 {
				t.Fatalf("%d servers of one namespace", n)
			}
		}
		for i := range 20 {
			acquire(t, p, numbered(l, "", i)).Release()
			synctest.Wait()
			if n := p.Stats().Servers; n > 5 {
				t.Fatalf("%d servers", n)
			}
		}
		if _, err := read(used.Server(), "echo"); err != nil {
			t.Errorf("a server in use was closed: %v", err)
		}
		used.Release()
	})
}

// TestNoRoom checks what is reported while all servers are in use, and that another one starts when
// one is idle.
func TestNoRoom(t *testing.T) {
	for name, test := range map[string]struct {
		options pool.Options
		want    string
	}{
		"of the namespace": {pool.Options{MaxServersPerNamespace: 2}, "All provider processes that the namespace may have are in use."},
		"in all":           {pool.Options{MaxServers: 2}, "All provider processes that there may be are in use."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t, test.options)
				l := newCounting()
				first, second := acquire(t, p, numbered(l, "a", 1)), acquire(t, p, numbered(l, "a", 2))
				defer second.Release()
				began, told := time.Now(), false
				for !told {
					_, f := p.TryAcquire(t.Context(), numbered(l, "a", 3))
					if f == nil || f.Reason != pool.NoRoom || f.RetryAfter() <= 0 || !strings.Contains(f.Error(), test.want) {
						t.Fatalf("got %v", f)
					}
					time.Sleep(f.RetryAfter())
					told = !f.Passing
				}
				if waited := time.Since(began); waited < 10*time.Second || waited > time.Minute {
					t.Errorf("it is reported after %s", waited)
				}
				if test.options.MaxServersPerNamespace > 0 {
					acquire(t, p, numbered(l, "b", 1)).Release()
				}
				first.Release()
				acquire(t, p, numbered(l, "a", 3)).Release()
			})
		})
	}
}

// TestFirstServerOfANamespace checks that namespaces which use all servers do not keep another one
// from its first, that it gets no second one, and that such servers are bounded.
func TestFirstServerOfANamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{MaxServers: 4, MaxServersPerNamespace: 2})
		l := newCounting()
		for _, namespace := range []string{"a", "b"} {
			for i := range 2 {
				defer acquire(t, p, numbered(l, namespace, i)).Release()
			}
		}
		for _, namespace := range []string{"victim", ""} {
			defer acquire(t, p, numbered(l, namespace, 1)).Release()
			if _, f := p.TryAcquire(t.Context(), numbered(l, namespace, 2)); f == nil || f.Reason != pool.NoRoom {
				t.Errorf("a second server of %q beyond the limit: %v", namespace, f)
			}
		}
		if _, f := p.TryAcquire(t.Context(), numbered(l, "late", 1)); f == nil || f.Reason != pool.NoRoom {
			t.Errorf("servers beyond the limit are not bounded: %v", f)
		}
	})
}
