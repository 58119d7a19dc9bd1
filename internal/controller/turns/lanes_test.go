package turns_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/turns"
)

func TestLanes(t *testing.T) {
	cases := map[string]struct {
		// queued are names in order; those with a ! are of changed resources, those with a + of new
		// ones, those with a * of new ones that were begun, and those with a ~ have only non-urgent
		// work.
		queued []string
		want   []string
	}{
		"all periodic":               {[]string{"a", "b", "c"}, []string{"a", "b", "c"}},
		"all changed":                {[]string{"!a", "!b", "!c"}, []string{"a", "b", "c"}},
		"in turns":                   {[]string{"a", "b", "c", "d", "!e", "!f"}, []string{"a", "e", "b", "f", "c", "d"}},
		"in turns too":               {[]string{"!a", "!b", "!c", "d"}, []string{"d", "a", "b", "c"}},
		"all three":                  {[]string{"a", "b", "+c", "+d", "!e"}, []string{"a", "c", "e", "b", "d"}},
		"all new":                    {[]string{"+a", "+b", "+c"}, []string{"a", "b", "c"}},
		"changed in the queue":       {[]string{"a", "b", "c", "!c", "!a"}, []string{"b", "c", "a"}},
		"changed twice in the queue": {[]string{"!a", "b", "!c", "!a"}, []string{"b", "a", "c"}},
		"new, then changed":          {[]string{"+a", "+b", "!b", "!a"}, []string{"a", "b"}},
		"changed, then as any other": {[]string{"!a", "a", "b"}, []string{"b", "a"}},
		"what was begun":             {[]string{"+a", "+b", "+c", "*d", "*e", "!f"}, []string{"a", "f", "d", "b", "e", "c"}},
		"begun in the queue":         {[]string{"+a", "+b", "+c", "*c"}, []string{"a", "c", "b"}},
		"not urgent":                 {[]string{"~a", "~b", "!c", "d"}, []string{"d", "c", "a", "b"}},
		"changed while not urgent":   {[]string{"~a", "~b", "~c", "!c"}, []string{"c", "a", "b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := newTurns(1)
			q := l.NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer q.ShutDown()
			for _, name := range tc.queued {
				switch name[0] {
				case '!':
					name = name[1:]
					l.Change(request(name))
				case '+':
					name = name[1:]
					l.Create(request(name))
				case '*':
					name = name[1:]
					l.Create(request(name))
					l.Begun(request(name))
				case '~':
					name = name[1:]
					l.Create(request(name))
					l.Popped(request(name))
					l.Wait(request(name))
					l.GoOn(request(name))
				}
				q.Add(request(name))
			}
			var got []string
			for q.Len() > 0 {
				req, _ := q.Get()
				got = append(got, req.Name)
				q.Done(req)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Requests with non-urgent work are counted while they are queued as such.
func TestLanesUnhurried(t *testing.T) {
	l := newTurns(1)
	q := l.NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	add := func(name string) {
		l.GoOn(request(name))
		q.Add(request(name))
	}
	for _, name := range []string{"a", "b", "c"} {
		l.Create(request(name))
		l.Popped(request(name))
		l.Wait(request(name))
		add(name)
		add(name)
	}
	q.Add(request("d"))
	counted := func(queued, unhurried int) {
		t.Helper()
		if q.Len() != queued || l.Unhurried() != unhurried {
			t.Errorf("%d are queued, %d of them unhurried; want %d and %d", q.Len(), l.Unhurried(), queued, unhurried)
		}
	}
	counted(4, 3)
	l.Change(request("b"))
	q.Add(request("b"))
	counted(4, 2)
	l.Begun(request("c"))
	q.Add(request("c"))
	counted(4, 1)
	for range 3 {
		req, _ := q.Get()
		q.Done(req)
	}
	counted(1, 1)
	if req, _ := q.Get(); req != request("a") {
		t.Errorf("%s comes last", req.Name)
	}
	counted(0, 0)
}

// What happens while it is worked on is queued when that has ended.
func TestLanesBusy(t *testing.T) {
	l := newTurns(1)
	q := l.NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	q.Add(request("a"))
	a, _ := q.Get()
	for _, name := range []string{"b", "c"} {
		q.Add(request(name))
	}
	l.Change(a)
	q.Add(a)
	q.Done(a)
	if next, _ := q.Get(); next != a {
		t.Errorf("%s comes before what has changed", next.Name)
	}
}

// What was changed or is new goes on with that before the others, until it is found unchanged.
func TestLanesGoOn(t *testing.T) {
	l := newTurns(1)
	q := l.NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	next := func() string {
		req, _ := q.Get()
		q.Done(req)
		return req.Name
	}
	l.Change(request("changed"))
	l.Change(request("gone"))
	l.Create(request("new"))
	for _, name := range []string{"changed", "gone", "new"} {
		q.Add(request(name))
		next()
	}
	l.Gone(request("gone"))
	for _, name := range []string{"a", "b", "c", "gone", "changed", "new"} {
		l.GoOn(request(name))
		q.Add(request(name))
	}
	got := []string{next(), next(), next(), next(), next(), next()}
	if diff := cmp.Diff([]string{"changed", "a", "new", "b", "c", "gone"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Non-urgent work of a resource waits until there may be other work for it, but not for ever.
func TestLanesWait(t *testing.T) {
	req := request("a")
	for name, tc := range map[string]struct {
		// meanwhile happens during the reconcile that finds nothing more than that work.
		meanwhile, happens func(l *turns.Turns)
		want               bool
	}{
		"nothing happens":     {happens: func(*turns.Turns) {}, want: true},
		"it goes on":          {happens: func(l *turns.Turns) { l.GoOn(req) }, want: true},
		"it is found again":   {happens: func(l *turns.Turns) { time.Sleep(50 * time.Second); l.Wait(req) }, want: true},
		"it is changed":       {happens: func(l *turns.Turns) { l.Change(req) }},
		"it is woken":         {happens: func(l *turns.Turns) { l.Begun(req) }},
		"nothing is left":     {happens: func(l *turns.Turns) { l.Gone(req) }},
		"it waits for long":   {happens: func(*turns.Turns) { time.Sleep(time.Minute) }},
		"it still does, then": {happens: func(l *turns.Turns) { time.Sleep(50 * time.Second); l.Wait(req); time.Sleep(10 * time.Second) }},
		"it was changed meanwhile": {
			meanwhile: func(l *turns.Turns) { l.Change(req) }, happens: func(*turns.Turns) {},
		},
		"it was woken meanwhile": {
			meanwhile: func(l *turns.Turns) { l.Begun(req) }, happens: func(*turns.Turns) {},
		},
		"it has no lane": {
			meanwhile: func(l *turns.Turns) { l.Gone(req) }, happens: func(*turns.Turns) {},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newTurns(1)
				q := l.NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
				defer q.ShutDown()
				l.Create(req)
				q.Add(req)
				q.Get()
				if l.Waits(req) {
					t.Error("it waits from the beginning")
				}
				if tc.meanwhile != nil {
					tc.meanwhile(l)
				}
				l.Wait(req)
				q.Done(req)
				tc.happens(l)
				if got := l.Waits(req); got != tc.want {
					t.Errorf("it waits: %t, want %t", got, tc.want)
				}
			})
		})
	}
}
