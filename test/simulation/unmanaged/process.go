package unmanaged

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/go-logr/logr"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/results"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/test/simulation/internal/apiserver"
)

// process is one controller process, from its start to its end.
type process struct {
	w    *world
	name string
	dead atomic.Bool
	// suspended processes do not continue.
	suspended bool
	cache     map[store.Key]*unstructured.Unstructured
	heard     int // of the API server's log
	kinds     map[string]reconciler
	// queue has when each object is looked at, failures how often that has failed in a row, and
	// working what is looked at now. The world's mutex guards them.
	queue    map[store.Key]time.Time
	failures map[store.Key]int
	working  map[store.Key]bool
	began    time.Time
}

// reconciler is that of a kind.
type reconciler interface {
	reconcile.Reconciler
	Use(turns.Queue)
}

// start starts a process, which leads from now on.
func (w *world) start() {
	w.terms++
	p := &process{
		w: w, name: "controller " + string(rune('A'+(w.terms-1)%26)),
		cache: map[store.Key]*unstructured.Unstructured{}, heard: len(w.log), kinds: map[string]reconciler{},
		queue: map[store.Key]time.Time{}, failures: map[store.Key]int{}, working: map[store.Key]bool{}, began: time.Now(),
	}
	w.note("%s starts", p.name)
	leads := func() bool { return w.leader == p }
	closed := make(chan struct{})
	close(closed)
	for mode, m := range w.models {
		common := unmanaged.Kind{
			Model: m, ProviderConfigs: configurations{p}, Neighbours: neighbours{&references.Graph{}}, Leads: leads,
			Clock: skewed{by: time.Duration(w.terms)},
			Options: managed.Options{
				Workers: 10, Timeout: time.Minute, Poll: time.Minute, Jitter: func(time.Duration) time.Duration { return 0 },
				MinBackoff: time.Second, MaxBackoff: time.Minute, Recorder: recorder{w}, Logger: logr.Discard(),
			},
		}
		var r reconciler
		if mode == model.Action {
			runs := &action.Runs{Leads: leads, Timeout: time.Hour, Grace: 10 * time.Second, PerConfiguration: 4}
			r = action.NewReconciler(&action.Kind{
				Kind: common, Runs: runs, PlanKey: []byte("key"), Providers: []string{"sim"},
			}, objectClient{apiserver.Cached{Process: p}, p}, apiserver.Live{Process: p})
		} else {
			r = results.NewReconciler(&results.Kind{
				Kind: common, Claimed: func() <-chan struct{} { return closed }, HashKey: []byte("key"),
				Leases: results.Leases{Client: p.Secrets(systemNamespace)},
			}, objectClient{apiserver.Cached{Process: p}, p}, apiserver.Live{Process: p})
		}
		r.Use(queue{p, m})
		p.kinds[m.Group] = r
	}
	for k, u := range w.objects {
		p.cache[k] = u
		p.queue[k] = time.Now()
	}
	w.leader = p
	w.processes = append(w.processes, p)
}

// skewed is a clock that differs from that of others, so that no two processes do something at the
// same instant.
type skewed struct{ by time.Duration }

func (s skewed) Now() time.Time                  { return time.Now().Add(s.by) }
func (s skewed) Since(t time.Time) time.Duration { return s.Now().Sub(t) }

// end ends a process. Some of its calls are still carried out.
func (w *world) end(p *process) {
	w.note("%s ends", p.name)
	p.dead.Store(true)
	for _, c := range w.waiting() {
		if c.p != p {
			continue
		}
		v := vanish
		if w.one(2) {
			v = final
		}
		w.resume(c, v)
	}
	w.processes = slices.DeleteFunc(w.processes, func(other *process) bool { return other == p })
	if w.leader == p {
		w.leader = nil
	}
	synctest.Wait()
}

var errLostLease = errors.New("another controller may have taken over")

// Fence implements apiserver.Process.
func (p *process) Fence() error {
	if p.w.leader != p {
		return errLostLease
	}
	return nil
}

// hear has the cache of a process follow the next change.
func (p *process) hear() {
	e := p.w.log[p.heard]
	p.heard++
	if p.cache[e.key] = e.now; e.now == nil {
		delete(p.cache, e.key)
	}
	p.enqueue(e.key, time.Now())
}

func (p *process) enqueue(k store.Key, at time.Time) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if now, ok := p.queue[k]; !ok || at.Before(now) {
		p.queue[k] = at
	}
}

// queue is the work queue of a kind.
type queue struct {
	p *process
	m *model.Resource
}

// Add implements turns.Queue.
func (q queue) Add(r reconcile.Request) {
	q.p.enqueue(store.Key{Group: q.m.Group, Kind: q.m.Kind, Namespace: r.Namespace, Name: r.Name}, time.Now())
}

// Len implements turns.Queue.
func (q queue) Len() int { return len(q.p.queue) }

// due returns what is to be looked at now.
func (p *process) due() (out []store.Key) {
	for _, k := range p.w.keys {
		if at, ok := p.queue[k]; ok && !time.Now().Before(at) && !p.working[k] {
			out = append(out, k)
		}
	}
	return out
}

// reconcile looks at an object, and queues it again as a controller does.
func (p *process) reconcile(k store.Key) {
	delete(p.queue, k)
	p.working[k] = true
	p.w.note("%s looks at %s", p.name, named(k))
	go func() {
		result, err := p.kinds[k.Group].Reconcile(context.Background(), reconcile.Request{
			NamespacedName: types.NamespacedName{Namespace: k.Namespace, Name: k.Name},
		})
		p.w.note("%s has looked at %s: %v, %v", p.name, named(k), result.RequeueAfter, err)
		p.w.mu.Lock()
		delete(p.working, k)
		p.w.mu.Unlock()
		again := result.RequeueAfter
		if backs := err != nil || result.Requeue; !backs { //nolint:staticcheck // RequeueAfter has no delay that grows
			p.failures[k] = 0
		} else {
			again = min(time.Second<<min(p.failures[k], 10), time.Minute)
			p.failures[k]++
		}
		if again > 0 {
			p.enqueue(k, time.Now().Add(again))
		}
	}()
	synctest.Wait()
}

// verdict is what happens to a call.
type verdict int

const (
	proceed verdict = iota
	// refuse: the call fails, and nothing is done.
	refuse
	// lose: it is done, and the answer is lost.
	lose
	// fail: the provider says that it has failed. Of an action, a part is done.
	fail
	// slow: it takes a while.
	slow
	// final: it is done, and the process ends before the answer.
	final
	// vanish: the process has ended.
	vanish
)

// call is a call that waits for its verdict.
type call struct {
	p       *process
	what    string
	verdict []verdict // what may happen instead of proceed
	resume  chan verdict
}

// wait waits for the verdict on a call. It does not return if the process ends before the call is
// carried out.
func (p *process) wait(what string, verdicts ...verdict) verdict {
	if p.dead.Load() {
		runtime.Goexit()
	}
	c := &call{p, what, verdicts, make(chan verdict)}
	p.w.mu.Lock()
	p.w.calls = append(p.w.calls, c)
	p.w.mu.Unlock()
	v := <-c.resume
	if v == vanish {
		runtime.Goexit()
	}
	p.w.note("%s: %s (%d)", p.name, what, v)
	return v
}

// after ends the goroutine of a process that has ended after a call.
func (p *process) after(v verdict) {
	if v == final || p.dead.Load() {
		runtime.Goexit()
	}
}

// waiting returns the calls that wait, in an order that does not depend on the scheduling of
// goroutines.
func (w *world) waiting() []*call {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.calls, func(a, b *call) int {
		return cmp.Or(strings.Compare(a.p.name, b.p.name), strings.Compare(a.what, b.what))
	})
	return slices.Clone(w.calls)
}

// resume lets a call continue, and waits until nothing moves any more.
func (w *world) resume(c *call, v verdict) {
	w.mu.Lock()
	w.calls = slices.DeleteFunc(w.calls, func(other *call) bool { return other == c })
	w.mu.Unlock()
	c.resume <- v
	synctest.Wait()
}

// Call implements apiserver.Process.
func (p *process) Call(ctx context.Context, what string, effect func() error) error {
	v := p.wait(what, refuse, lose)
	if ctx.Err() != nil && v != final {
		return ctx.Err()
	}
	if v == refuse {
		return kerrors.NewServiceUnavailable("the API server is not available")
	}
	err := effect()
	if err != nil {
		p.w.note("%s: %s: %v", p.name, what, err)
	}
	p.after(v)
	if v == lose {
		return kerrors.NewTimeoutError("the answer is lost", 1)
	}
	return err
}

// neighbours are other kinds: none is served.
type neighbours struct{ graph *references.Graph }

func (n neighbours) References() *references.Graph           { return n.graph }
func (n neighbours) Served(kschema.GroupKind) (string, bool) { return "", false }
func (n neighbours) Lacks(kschema.GroupKind, string) error   { return nil }
func (n neighbours) Wake(store.Key)                          {}

// recorder checks events.
type recorder struct{ w *world }

func (r recorder) Event(_ kruntime.Object, e xpevent.Event) {
	r.w.secretIn("an event", e.Message)
}
func (r recorder) WithAnnotations(...string) xpevent.Recorder { return r }
