package turns_test

import (
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/testing/leaktest"
)

func configRef(name string) providerconfig.Reference {
	return providerconfig.Reference{Kind: "ClusterProviderConfig", Name: name}
}

func request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "a", Name: name}}
}

// newTurns returns the turns of a kind without a queue, operations and replacements of workers.
func newTurns(workers int) *turns.Turns {
	t := turns.New(workers, func() int { return 0 })
	t.Use(queued(func(reconcile.Request) {}))
	return t
}

// queued is called with what is queued.
type queued func(reconcile.Request)

// Add implements turns.Queue.
func (q queued) Add(req reconcile.Request) { q(req) }

// Len implements turns.Queue.
func (queued) Len() int { return 0 }

// enter reports whether a worker may work on a request, and leave ends that.
func enter(t *turns.Turns, of providerconfig.Reference, req reconcile.Request) bool {
	admitted, _ := t.Admit(req, func() providerconfig.Reference { return of })
	return admitted
}

func leave(t *turns.Turns, req reconcile.Request) { t.Done(req, turns.Outcome{Unchanged: true}) }

// TestShareAlone proves that a configuration without others has all workers.
func TestShareAlone(t *testing.T) {
	s := newTurns(10)
	s.Use(queued(func(reconcile.Request) { t.Error("queued again") }))
	for i := range 10 {
		if !enter(s, configRef("a"), request(fmt.Sprint(i))) {
			t.Errorf("the %dth worker is kept from it", i)
		}
	}
	for i := range 10 {
		leave(s, request(fmt.Sprint(i)))
	}
}

// TestShareOfTheHung proves that configurations that never give a worker back leave some to
// those who do.
func TestShareOfTheHung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var queue []reconcile.Request
		s := newTurns(10)
		s.Use(queued(func(r reconcile.Request) { queue = append(queue, r) }))
		well := configRef("well")
		work := func(name string) {
			t.Helper()
			if !enter(s, well, request(name)) {
				t.Fatalf("no worker for %s", name)
			}
			leave(s, request(name))
		}
		work("first")
		held := map[string]int{}
		for _, hung := range []string{"one", "two", "three"} {
			for i := range 20 {
				if enter(s, configRef(hung), request(fmt.Sprint(hung, i))) {
					held[hung]++
				}
			}
			work(hung)
		}
		if fmt.Sprint(held) != "map[one:5 three:1 two:3]" {
			t.Errorf("held are %v", held)
		}
		if len(queue) != 0 {
			t.Errorf("queued again, without a worker: %v", queue)
		}
		leave(s, request("one0"))
		if len(queue) != 1 || queue[0] != request("three1") {
			t.Errorf("queued again: %v, want the first that waited of the one that holds least", queue)
		}
		// A waiting request is requeued once, however often it called enter.
		enter(s, configRef("two"), request("two19"))
		for i := range 8 {
			leave(s, request([]string{"two0", "x"}[min(i, 1)]))
			enter(s, configRef("two"), request("x"))
		}
		n := map[reconcile.Request]int{}
		for _, r := range queue {
			if n[r]++; n[r] > 1 && r != request("x") {
				t.Errorf("%v was queued %d times", r, n[r])
			}
		}
		time.Sleep(time.Hour)
	})
}

func requestOf(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}

// Namespaces have shares, however many configurations one of them has.
func TestShareOfNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var queue []reconcile.Request
		s := newTurns(10)
		s.Use(queued(func(r reconcile.Request) { queue = append(queue, r) }))
		well := func(want bool) {
			t.Helper()
			req := requestOf("victim", "x")
			if ok := enter(s, configRef("shared"), req); ok != want {
				t.Errorf("a worker for the victim: %v", ok)
			} else if ok {
				leave(s, req)
			}
		}
		well(true)
		busy := 0
		for i := range 20 {
			for j := range 2 {
				if enter(s, configRef(fmt.Sprint("hung", i)), requestOf("mallory", fmt.Sprint(i, "-", j))) {
					busy++
				}
			}
		}
		if busy != 5 {
			t.Errorf("the other namespace has %d workers", busy)
		}
		well(true)
		leave(s, requestOf("mallory", "0-0"))
		if len(queue) != 1 || queue[0].Namespace != "mallory" {
			t.Errorf("queued again: %v", queue)
		}
	})
}

// A worker that works on one request for long is replaced, up to a number of each namespace, until
// it has ended.
func TestLongStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(4)
		var replaced []<-chan struct{}
		s.Replace(func(over <-chan struct{}) { replaced = append(replaced, over) })
		config := configRef("hung")
		enter(s, configRef("well"), requestOf("victim", "x"))
		leave(s, requestOf("victim", "x"))
		entered := 0
		for range 20 {
			for enter(s, config, requestOf("mallory", fmt.Sprint(entered))) {
				entered++
			}
			time.Sleep(10 * time.Second)
		}
		// Half of 4 times 4, and half of the workers.
		if len(replaced) != 8 || entered != 8+2 {
			t.Errorf("%d workers were replaced, of %d that work", len(replaced), entered)
		}
		if !enter(s, configRef("well"), requestOf("victim", "x")) {
			t.Error("no worker for the victim")
		}
		for i := range entered {
			leave(s, requestOf("mallory", fmt.Sprint(i)))
		}
		leave(s, requestOf("victim", "x"))
		for _, over := range replaced {
			select {
			case <-over:
			default:
				t.Error("a replacement goes on")
			}
		}
		time.Sleep(time.Hour) // no timer is left
	})
}

// TestShareForgets proves that configurations of long ago are not reckoned with.
func TestShareForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(4)
		enter(s, configRef("old"), request("old"))
		leave(s, request("old"))
		count := func() (n int) {
			for i := range 4 {
				if enter(s, configRef("new"), request(fmt.Sprint(i))) {
					n++
				}
			}
			for i := range n {
				leave(s, request(fmt.Sprint(i)))
			}
			return n
		}
		if n := count(); n != 2 {
			t.Errorf("it gets %d workers, with another", n)
		}
		time.Sleep(time.Hour)
		if n := count(); n != 4 {
			t.Errorf("it gets %d workers, alone", n)
		}
	})
}

// TestShareLosesNothing proves that all get their turn, in the end.
func TestShareLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers, resources = 4, 100
		queue := make(chan reconcile.Request, 10_000)
		s := newTurns(workers)
		s.Use(queued(func(r reconcile.Request) { queue <- r }))
		done := map[reconcile.Request]bool{}
		results := make(chan reconcile.Request, 10_000)
		for range workers {
			go func() {
				for req := range queue {
					ref := configRef(req.Namespace)
					if !enter(s, ref, req) {
						continue
					}
					time.Sleep(time.Second)
					leave(s, req)
					results <- req
				}
			}()
		}
		for i := range resources {
			for _, config := range []string{"a", "b", "c"} {
				queue <- reconcile.Request{NamespacedName: types.NamespacedName{Namespace: config, Name: fmt.Sprint(i)}}
			}
		}
		began := time.Now()
		for len(done) < 3*resources {
			done[<-results] = true
		}
		if took := time.Since(began); took > 3*resources/workers*time.Second*3/2 {
			t.Errorf("it took %s", took)
		}
		close(queue)
	})
}

func BenchmarkShare(b *testing.B) {
	s := newTurns(10)
	b.ReportAllocs()
	for b.Loop() {
		enter(s, configRef("a"), request("x"))
		leave(s, request("x"))
	}
}

// Of many namespaces that wait for one configuration, one is queued again when a worker is
// released.
func TestShareOfOneConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var queue []reconcile.Request
		s := newTurns(10)
		s.Use(queued(func(r reconcile.Request) { queue = append(queue, r) }))
		other := requestOf("other", "x")
		enter(s, configRef("other"), other)
		leave(s, other)
		var working []reconcile.Request
		for i := range 50 {
			if req := requestOf(fmt.Sprint("n", i), "x"); enter(s, configRef("shared"), req) {
				working = append(working, req)
			}
		}
		if len(working) != 5 {
			t.Fatalf("%d workers", len(working))
		}
		leave(s, working[0])
		if len(queue) != 1 {
			t.Errorf("queued again: %v", queue)
		}
	})
}

// Users choose the names of provider configurations, and namespaces come and go, so nothing is kept
// of those that are gone, also if no resource ever waits for a worker.
func TestNothingIsKeptOfFormerNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(10)
		work := func(name string) {
			t.Helper()
			req := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: name, Name: "a"}}
			if !enter(s, configRef(name), req) {
				t.Fatalf("no worker for %s", name)
			}
			leave(s, req)
		}
		const names = 1000
		for i := range names {
			work(fmt.Sprint(i))
			time.Sleep(time.Minute)
		}
		held := map[string]int{}
		leaktest.Entries(reflect.ValueOf(s), "turns", held)
		for at, n := range held {
			if n >= names/10 {
				t.Errorf("%s: %d entries after %d names", at, n, names)
			}
		}
	})
}
