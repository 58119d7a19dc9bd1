package health_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// situation is one that an object can be in.
type situation struct {
	// bring brings an object into the situation, or begins to.
	bring func(t *testing.T, x *world) *unstructured.Unstructured
	// is reports whether the object is in the situation. It asks nothing that the tools ask.
	is func(u *unstructured.Unstructured) bool
	// want is what the tools must compute then.
	want verdicts
	// never is a verdict of kstatus that is wrong at any time from bring on. Empty if there is
	// none.
	never string
}

// tally counts situations.
type tally struct {
	mu           sync.Mutex
	all, correct int
}

var results tally

func (r *tally) add(all, correct int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all += all
	r.correct += correct
}

// line returns the closing line.
func (r *tally) line() string {
	return fmt.Sprintf("health: %d situations, %d wrong", r.all, r.all-r.correct)
}

// TestHealth brings objects into all situations, and asks the tools.
func TestHealth(t *testing.T) {
	tools, err := newTools()
	if err != nil {
		t.Fatal(err)
	}
	results.add(len(situations)+len(unattended), 0)
	undescribed(t, situations)
	undescribed(t, unattended)
	x := newWorld(t, nil)
	before := map[string]*unstructured.Unstructured{}
	for name, s := range unattended {
		before[name] = s.prepare(t, x.called(name))
	}
	t.Run("attended", func(t *testing.T) {
		each(t, situations, func(t *testing.T, name string, s situation) {
			s.check(t, x.called(name), tools, name)
		})
	})
	// TestModules would wait for what an unreadable module may have made.
	x.Remove(t, resource(landbridge, "TerraformModule", "", x.called("TerraformModule without a command line").name, nil))
	x.stop(t)
	t.Run("unattended", func(t *testing.T) {
		each(t, unattended, func(t *testing.T, name string, s unattendedSituation) {
			situation{
				bring: func(t *testing.T, x *world) *unstructured.Unstructured {
					s.change(t, x, before[name])
					return before[name]
				},
				is:   func(*unstructured.Unstructured) bool { return true },
				want: s.want,
			}.check(t, x.called(name), tools, name)
		})
	})
}

func each[T any](t *testing.T, all map[string]T, f func(*testing.T, string, T)) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, name, all[name])
		})
	}
}

// check brings an object into the situation, and waits until the tools compute what they must.
func (s situation) check(t *testing.T, x *world, tools *tools, name string) {
	u := s.bring(t, x)
	var got verdicts
	var said, wrong string
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := x.Get(t.Context(), client.ObjectKeyFromObject(u), u)
		if kerrors.IsNotFound(err) {
			t.Fatalf("%s is gone before it is in the situation: %s, %+v, explain: %s", name, got, truthOf(u), wrong)
		}
		if err == nil {
			got, said, err = tools.of(t.Context(), u)
		}
		if err == nil && s.is(u) && got == s.want {
			wrong, err = x.explained(t.Context(), name, u)
		}
		switch {
		case err != nil:
			t.Fatal(err)
		case s.never != "" && got.kstatus == s.never:
			t.Fatalf("kstatus computes %s: %v", s.never, u.Object["status"])
		case s.is(u) && got == s.want && truthOf(u) == truths[name] && wrong == "":
			results.add(0, 1)
			fmt.Printf("%-40s | %s | %s\n", name, got, said)
			return
		case time.Since(begin) > limit:
			t.Fatalf("in the situation: %t\ngot  %s, %+v (%s)\nwant %s, %+v\n%v\nexplain: %s", s.is(u), got,
				truthOf(u), said, s.want, truths[name], u.Object["status"], wrong)
		}
	}
}

const limit = waittest.Limit / 3

// patch changes an object.
func (x *world) patch(t *testing.T, u *unstructured.Unstructured, merge string) *unstructured.Unstructured {
	t.Helper()
	x.MustPatch(t, u, merge)
	return u
}

// ready creates an object and waits until it is ready.
func (x *world) ready(t *testing.T, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	x.MustCreate(t, u)
	x.WaitReady(t, u)
	return u
}

func (x *world) created(t *testing.T, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	x.MustCreate(t, u)
	return u
}

// deleted deletes an object and does not wait.
func (x *world) deleted(t *testing.T, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	if err := x.Delete(context.WithoutCancel(t.Context()), u); err != nil {
		t.Fatal(err)
	}
	return u
}
