package simulation

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"
	"testing/synctest"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/go-logr/logr"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeobject "k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// Times of the controllers. The lease is as in the controller: two thirds of it are safe.
const (
	leaseDuration = 15 * time.Second
	leaseSafe     = 10 * time.Second
	leasePeriod   = 2 * time.Second
	pollInterval  = time.Minute
	// operationTimeout is longer than the cloud takes to complete what it has accepted.
	operationTimeout = 5 * time.Minute
	// reconcileTimeout is longer than some delayed requests take together.
	reconcileTimeout = time.Minute
	cloudTakes       = time.Minute
)

// process is one controller process, from its start to its end.
type process struct {
	w    *world
	name string
	// term counts the leaderships in the order of their beginnings; 0 before it leads.
	term int
	dead atomic.Bool
	// suspended processes do not continue. So do those whose machine is.
	suspended bool
	// A process of a replica works on one shard of its.
	replica *replica
	shard   int
	worker  *sharding.Worker
	// accounts are those of the provider configurations, and records are the stored instances of
	// the shard, as the process has heard of them.
	accounts map[string]ownership.Account
	// accesses are the provider configurations, as the process has heard of them, if the cloud has
	// several accounts.
	accesses map[string]access
	// splits are the configurations that are to be divided kind by kind, dividing those that are
	// just being divided or not.
	splits, dividing map[string]bool
	records          map[store.Key]bool
	// awaiting are what goroutines wait for.
	awaiting []awaiting
	// leaving is set when it gives up its shard, and stubborn when its providers go on then.
	// stopped is set when its operations have ended, with an error if they did not in time.
	leaving, stubborn, stopped bool
	stopError                  error
	// reconciling ends when it is told to end.
	reconciling     context.Context
	stopReconciling context.CancelFunc
	// unhear ends that its replica tells it of the table.
	unhear func()
	clock  skewed
	// led is when it began to lead.
	led time.Time

	// The lease as this process sees it.
	renewed            time.Time
	observed           lease
	observedAt, ticked time.Time

	// provider is the version of the provider that it runs.
	provider  *shared
	graph     *references.Graph
	secrets   *store.Secrets
	scheduler *scheduler.Scheduler
	kinds     map[string]*kind
	cache     map[store.Key]*unstructured.Unstructured
	heard     int // of the API server's log
	// left has the times at which it heard that a resource is gone, by UID.
	left      map[types.UID]time.Time
	queue     map[store.Key]*queued
	working   map[store.Key]bool
	unclaimed map[store.Key]bool
	// claimAt is when a claim that failed is tried again.
	claimAt map[store.Key]time.Time
	// knows has the names of the Secrets that it has read or written.
	knows map[string]bool
}

type kind struct {
	*managed.Kind
	reconciler *managed.Reconciler
	claims     int // that are missing
}

// queued is a resource that is to be reconciled.
type queued struct {
	at       time.Time
	failures int
}

// lease is the record of leader election.
type lease struct {
	holder *process
	count  int
}

// skewed is a clock that is wrong by an offset.
type skewed struct {
	clock.RealClock
	by time.Duration
}

func (s skewed) Now() time.Time { return time.Now().Add(s.by) }

func (s skewed) Since(t time.Time) time.Duration { return s.Now().Sub(t) }

// actorKey marks the context of a reconcile. Calls without it are those of an operation.
type actorKey struct{}

// detailKey is the key of the detail of a call in its context.
type detailKey struct{}

func (p *process) String() string { return p.name }

// waiter is a call that waits for its verdict.
type waiter struct {
	p    *process
	what string
	// detail orders calls that are alike.
	detail string
	kind   callKind
	resume chan verdict
	// operation is set for calls of operations. delayed is until when it waits at least.
	operation bool
	delayed   time.Time
}

// callKind is what a call may be met with.
type callKind int

const (
	ordinary callKind = iota
	// change is a change that is requested of the provider.
	change
	// answering is the wait of a program for the provider. The program may die meanwhile.
	answering
	// lasting is the wait of the provider until the cloud has completed what it has accepted.
	lasting
)

// wait waits for the verdict on a call. If the process dies, it does not return.
func (p *process) wait(ctx context.Context, what string) verdict {
	return p.waitFor(ctx, what, ordinary)
}

func (p *process) waitFor(ctx context.Context, what string, kind callKind) verdict {
	if p.dead.Load() {
		runtime.Goexit()
	}
	actor, ok := ctx.Value(actorKey{}).(string)
	if ok {
		what = actor + ": " + what
	}
	detail, _ := ctx.Value(detailKey{}).(string)
	v := p.w.park(&waiter{p: p, what: p.name + " " + what, detail: detail, kind: kind, operation: !ok, resume: make(chan verdict)})
	if v == vanish || p.dead.Load() && v != final {
		runtime.Goexit()
	}
	return v
}

// after ends the goroutine of a process that died after a call.
func (p *process) after(v verdict) {
	if v == final || p.dead.Load() {
		runtime.Goexit()
	}
}

// Call implements apiserver.Process.
func (p *process) Call(ctx context.Context, what string, effect func() error) error {
	v := p.wait(ctx, what)
	switch {
	case ctx.Err() != nil && v != final:
		return ctx.Err()
	case v == refuse:
		return kerrors.NewServiceUnavailable("the API server is not available")
	case v == throttle:
		return kerrors.NewTooManyRequests("the API server has too many requests", 1)
	}
	err := effect()
	p.w.note("%s %s: %v", p, what, errorText(err))
	p.after(v)
	if v == lose {
		return kerrors.NewTimeoutError("the answer is lost", 1)
	}
	return err
}

func errorText(err error) string {
	if err == nil {
		return "ok"
	}
	return err.Error()
}

// leads reports whether certainly no other process leads.
func (p *process) leads() bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return !p.dead.Load() && !p.renewed.IsZero() && p.clock.Since(p.renewed) <= leaseSafe
}

// Fence implements apiserver.Process: it is the check that the controller's transport makes before
// it sends a write.
func (p *process) Fence() error {
	if !p.leads() && !p.dead.Load() {
		return errors.New("another controller may have taken over")
	}
	return nil
}

// tick renews the lease, or takes it over.
func (p *process) tick() {
	w := p.w
	p.ticked = w.now()
	now := p.clock.Now()
	if w.leases[p.shard].holder == p {
		w.leases[p.shard].count++
		p.renew(now)
		p.divide()
		return
	}
	if p.term > 0 { // another process leads: this one ends
		w.note("%s has lost the lease, and ends", p)
		w.kill(p, false)
		return
	}
	if w.leases[p.shard] != p.observed {
		p.observed, p.observedAt = w.leases[p.shard], now
	}
	if w.leases[p.shard].holder != nil && now.Sub(p.observedAt) < leaseDuration {
		return
	}
	w.leases[p.shard] = lease{holder: p, count: w.leases[p.shard].count + 1}
	p.renew(now)
	p.lead()
}

func (p *process) renew(now time.Time) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.renewed = now
}

// Cached implements apiserver.Process.
func (p *process) Cached(k store.Key) *unstructured.Unstructured {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.cache[k]
}

// remember changes the cache.
func (p *process) remember(k store.Key, u *unstructured.Unstructured) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if u == nil {
		delete(p.cache, k)
	} else {
		p.cache[k] = u
	}
}

// lead starts the controllers.
func (p *process) lead() {
	w := p.w
	w.check.failover() // what only the former leader remembers may be lost
	w.terms++
	p.term = w.terms
	w.note("%s leads", p)
	p.led = w.now()
	p.secrets = &store.Secrets{Client: secretClient{p: p, namespace: systemNamespace}, PartSize: w.partSize, Shard: p.shardOfRecords()}
	p.cache = maps.Clone(w.api.resources)
	p.queue, p.working, p.unclaimed = map[store.Key]*queued{}, map[store.Key]bool{}, map[store.Key]bool{}
	p.claimAt, p.accounts, p.records = map[store.Key]time.Time{}, maps.Clone(w.users.configurations), map[store.Key]bool{}
	p.accesses = maps.Clone(w.users.accesses)
	p.splits, p.dividing = maps.Clone(w.users.splits), map[string]bool{}
	p.reconciling, p.stopReconciling = context.WithCancel(context.Background())
	p.scheduler = scheduler.New(scheduler.Options{
		Elsewhere: p.elsewhere(),
		Store:     p.secrets, Logger: logr.Discard(), Clock: p.clock, Leads: p.leads, Lease: leaseDuration, OperationTimeout: operationTimeout,
		MinBackoff: time.Second, MaxBackoff: 30 * time.Second, PlanKey: planKey,
		Wake: func(k store.Key) { p.enqueue(k, 0) },
		Exists: func(ctx context.Context, k store.Key, uid types.UID) (bool, error) {
			return p.kinds[k.Kind].Exists(ctx, k, uid)
		},
	})
	if !w.users.released.IsZero() {
		p.scheduler.ReleaseBrake(brake.Release{At: w.users.released})
	}
	p.graph = &references.Graph{}
	configure(p.graph)
	p.heard, p.knows, p.left = len(w.api.log), map[string]bool{}, map[types.UID]time.Time{}
	p.serve()
	p.hearTable()
	p.noneToClaim()
}

// noneToClaim tells the kinds without resources that everything is claimed.
func (p *process) noneToClaim() {
	for _, k := range p.kinds {
		if k.claims == 0 {
			k.reconciler.Claimed()
		}
	}
}

// serve starts the controllers of the kinds of the version that is wanted.
func (p *process) serve() {
	w := p.w
	p.provider, p.kinds = w.wanted(), map[string]*kind{}
	// Not the scheduler's, which remembers what it has loaded and saved.
	stored := &store.Secrets{Client: secretClient{p: p, namespace: systemNamespace}}
	for _, m := range p.provider.model.Resources {
		k := &kind{Kind: &managed.Kind{
			Model: m, ProviderConfigs: configsOf(p, m.Type), Neighbours: neighbours{p, p.graph}, Scheduler: p.scheduler,
			Options: managed.Options{
				Poll: pollInterval, Jitter: func(limit time.Duration) time.Duration { return limit / 2 }, Workers: 4,
				Timeout: reconcileTimeout, MinBackoff: time.Second, MaxBackoff: 30 * time.Second,
				Recorder: recorder{p}, Logger: logr.Discard(), Marked: p.marked,
				Stored: func(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
					defer stored.Forget(k)
					return stored.Load(ctx, k, r)
				},
				Naming: func(ctx context.Context, gk runtimeschema.GroupKind, of scheduler.Sought, most int) ([]store.Key, bool, error) {
					return p.secrets.Naming(ctx, gk.Group, gk.Kind, of.By, of.Objects, most)
				},
			},
		}}
		k.Providers, k.DestroyLimit = []string{brakeProvider}, w.limitOf(m.Type)
		if m.Type != pair {
			k.Release = p.provider.release // modules have no marks
		}
		if p.worker != nil {
			k.Options.Shards = divided{p.worker, p}
		}
		k.reconciler = managed.NewReconciler(k.Kind, p.client(), p.live())
		if p.worker != nil {
			k.reconciler.Use(kindQueue{p, m})
		} else {
			k.reconciler.Use(p)
		}
		p.kinds[m.Kind] = k
	}
	for _, key := range w.keys {
		if u := p.cache[key]; u != nil {
			p.hear(watchEvent{key: key, new: u})
			p.unclaimed[key] = true
			p.kinds[key.Kind].claims++
		}
	}
}

// claimed reports whether the objects of all resources of a kind are claimed.
func (k *kind) claimed() bool {
	select {
	case <-k.ObjectsClaimed():
		return true
	default:
		return false
	}
}

func (p *process) modulesClaimed() bool { return p.kinds[p.w.model.Resources[pair].Kind].claimed() }

func (p *process) allClaimed() bool {
	for _, k := range p.kinds {
		if !k.claimed() {
			return false
		}
	}
	return true
}

// awaiting is a channel that is closed when something has happened.
type awaiting struct {
	channel  chan struct{}
	happened func() bool
}

// when returns a channel that is closed when something has happened. Those that wait for it
// continue one after the other, in an order that does not depend on the scheduling of goroutines.
func (p *process) when(happened func() bool) <-chan struct{} {
	out := make(chan struct{})
	if happened() {
		close(out)
		return out
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.awaiting = append(p.awaiting, awaiting{out, happened})
	return out
}

// resume lets those continue that wait for what has happened.
func (p *process) resume() {
	for {
		i := slices.IndexFunc(p.awaiting, func(a awaiting) bool { return a.happened() })
		if i < 0 {
			return
		}
		next := p.awaiting[i]
		p.awaiting = slices.Delete(p.awaiting, i, i+1)
		close(next.channel)
		synctest.Wait()
	}
}

// works notes whether a goroutine works on a resource.
func (p *process) works(k store.Key, now bool) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if now {
		p.working[k] = true
	} else {
		delete(p.working, k)
	}
}

// claim claims the objects of a resource.
func (p *process) claim(k store.Key) {
	delete(p.unclaimed, k)
	delete(p.claimAt, k)
	p.works(k, true)
	u, kind := p.Cached(k), p.kinds[k.Kind]
	if u == nil {
		u = &unstructured.Unstructured{} // deleted meanwhile
	}
	go func() {
		claimed := false
		defer func() {
			p.works(k, false)
			if !claimed {
				p.unclaimed[k] = true
				if p.worker != nil || p.w.versions != nil { // those of a leader alone are tried again at once
					p.claimAt[k] = p.w.now().Add(time.Second)
				}
				return
			}
			if kind.claims--; kind.claims == 0 {
				kind.reconciler.Claimed()
			}
		}()
		if len(u.Object) == 0 || !kind.ClaimsHere(u) {
			claimed = true // it is claimed when its configuration becomes one of the shard
			return
		}
		claimed = kind.reconciler.Claim(context.WithValue(p.reconciling, actorKey{}, p.actor("claim", k)), u) == nil
	}()
}

// actor names what works on a resource. Processes of replicas work on several of a name at once.
func (p *process) actor(does string, k store.Key) string {
	if p.worker != nil {
		return does + " " + k.Kind + " " + k.Name
	}
	return does + " " + k.Name
}

// Add implements turns.Queue; it is called by the kind of the request alone, for its shares of
// workers.
func (p *process) Add(reconcile.Request) {}

// Len implements turns.Queue.
func (p *process) Len() int { return len(p.queue) }

// enqueue queues a resource.
func (p *process) enqueue(k store.Key, after time.Duration) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.dead.Load() {
		return
	}
	at := time.Now().Add(after)
	if q := p.queue[k]; q == nil {
		p.queue[k] = &queued{at: at}
	} else if at.Before(q.at) {
		q.at = at
	}
}

// hear passes an event of the watch to the controllers.
func (p *process) hear(e watchEvent) {
	switch {
	case e.lost:
		p.recorded(e.key, store.Shard{Number: -1})
		p.scheduler.Lost(e.key)
		return
	case e.by != nil:
		p.recorded(e.key, *e.by)
		return
	case !e.released.IsZero():
		p.scheduler.ReleaseBrake(brake.Release{At: p.clock.Now()})
		return
	case e.access != nil:
		p.accessed(e.configuration, *e.access)
		return
	case e.configuration != "":
		p.configured(e.configuration, e.account, e.split)
		return
	}
	if e.old != nil && (e.new == nil || e.new.GetUID() != e.old.GetUID()) {
		p.left[e.old.GetUID()] = p.w.now()
	}
	p.remember(e.key, e.new)
	changed, wanted := p.kinds[e.key.Kind].reconciler.Changed(), false
	switch {
	case e.old == nil:
		wanted = changed.Create(event.TypedCreateEvent[*unstructured.Unstructured]{Object: e.new})
	case e.new == nil:
		wanted = changed.Delete(event.TypedDeleteEvent[*unstructured.Unstructured]{Object: e.old})
	default:
		wanted = changed.Update(event.TypedUpdateEvent[*unstructured.Unstructured]{ObjectOld: e.old, ObjectNew: e.new})
	}
	if wanted {
		p.enqueue(e.key, 0)
	}
}

// reconcile reconciles a resource, and queues it again as controller-runtime does.
func (p *process) reconcile(k store.Key) {
	p.w.mu.Lock()
	q := p.queue[k]
	delete(p.queue, k)
	p.w.mu.Unlock()
	p.works(k, true)
	go func() {
		defer p.works(k, false)
		ctx := context.WithValue(p.reconciling, actorKey{}, p.actor("reconcile", k))
		result, err := p.kinds[k.Kind].reconciler.Reconcile(ctx, reconcile.Request{
			NamespacedName: types.NamespacedName{Namespace: k.Namespace, Name: k.Name},
		})
		p.w.note("%s reconciled %s %s: %s", p, k.Kind, k.Name, errorText(err))
		p.kinds[k.Kind].Marks(p.leaveMark)
		switch {
		case err != nil || result.Requeue: //nolint:staticcheck // crossplane-runtime uses it
			p.enqueue(k, min(time.Second<<min(q.failures, 5), 30*time.Second))
			p.failed(k, q.failures+1)
		case result.RequeueAfter > pollInterval*8/10:
			p.enqueue(k, pollInterval) // without the jitter, so that a schedule depends on its choices alone
		case result.RequeueAfter > 0:
			p.enqueue(k, result.RequeueAfter)
		}
	}()
}

// leaveMark leaves a mark to later processes.
func (p *process) leaveMark(m scheduler.Mark) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.marks[m] = true
}

// marked reports whether a process has left a mark.
func (p *process) marked(m scheduler.Mark) bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.w.marks[m]
}

func (p *process) failed(k store.Key, times int) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if q := p.queue[k]; q != nil {
		q.failures = times
	}
}

// recorder writes events to the trace.
type recorder struct{ p *process }

func (r recorder) Event(_ runtimeobject.Object, e xpevent.Event) {
	r.p.w.note("%s event %s: %s", r.p, e.Reason, e.Message)
}

func (r recorder) WithAnnotations(...string) xpevent.Recorder { return r }
