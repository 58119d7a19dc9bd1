package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/schema"
)

// shared is what all worlds of one program share: it never changes.
type shared struct {
	schema  *schema.Provider
	model   *model.Provider
	module  *module.Module
	engines engine.Factory
	// keys are the resources that users may create.
	keys       []store.Key
	apiVersion string
	// release identifies the version of the provider.
	release string
	// references are those between the resources, in schedules that have any.
	references map[store.Key]reference
	// later is the next version of the provider; nil if there is none.
	later *shared
}

// common is what worlds share, and surveying the same with objects that are looked at by listing.
var (
	common    = sync.OnceValue(func() *shared { return share(false, map[string]config.Resource{}) })
	surveying = sync.OnceValue(func() *shared {
		refresh := &config.ListRefresh{ReadEvery: 10}
		return share(false, map[string]config.Resource{
			named: {ListRefresh: refresh}, identified: {ListRefresh: refresh}, listed: {ListRefresh: refresh},
		})
	})
)

// several is common with objects that can be told apart, for several accounts.
var several = sync.OnceValue(func() *shared { return share(true, map[string]config.Resource{}) })

// versioned is common with a later version of the provider.
var versioned = sync.OnceValue(func() *shared {
	out := share(false, map[string]config.Resource{})
	later := providerSchema(false)
	for _, r := range later.Resources {
		upgradeSchema(r)
	}
	out.later = shareSchema(later, map[string]config.Resource{})
	out.later.release = "2.0.0"
	return out
})

// share returns what worlds share, with a configuration of resource types. Objects that are
// distinct have a uid.
func share(distinct bool, configured map[string]config.Resource) *shared {
	return shareSchema(providerSchema(distinct), configured)
}

// shareSchema is share with the schema of a provider.
func shareSchema(s *schema.Provider, configured map[string]config.Resource) *shared {
	module := pairModule()
	s.Resources[pair] = module.Resource
	for t := range configured {
		s.ListResources[t] = &schema.Block{}
	}
	recovered := configured[listed]
	recovered.ListRecovery = &config.ListRecovery{}
	configured[listed] = recovered
	m, err := model.NewProvider("sim", s, config.Provider{Resources: configured})
	if err != nil {
		panic(err)
	}
	out := &shared{schema: s, model: m, module: module, release: "1.0.0"}
	add := func(resourceType, name string) {
		r := m.Resources[resourceType]
		out.apiVersion = r.GroupVersionKind().GroupVersion().String()
		out.keys = append(out.keys, store.Key{Group: r.Group, Kind: r.Kind, Namespace: "team", Name: name})
	}
	for _, t := range resourceTypes[:3] {
		add(t, "a")
		add(t, "b")
	}
	add(pair, "a")
	add(listed, "a")
	add(listed, "b")
	return out
}

// world is one schedule.
type world struct {
	*shared
	choices *choices
	trace   *trace
	api     *api
	cloud   *cloud
	users   *users
	actions *actions
	check   *check

	// partSize is the size of the parts of stored instances; 0 for the usual one.
	partSize int

	// leases are those of the shards; one if the work is not divided.
	leases    []lease
	terms     int
	serial    int // of processes and replicas
	processes []*process
	// shards is the number of shards; 0 if the work is not divided. Then there are no replicas.
	shards   int
	replicas []*replica
	// away is until when no replica starts instead of one that was killed.
	away time.Time
	// versions is what is known of the provider's versions; nil if there is only one.
	versions *versions
	// calm is set when faults have ended.
	calm   bool
	calmed time.Time
	// helped is when users did last what conditions ask for.
	helped time.Time
	// rested is until when nothing happens.
	rested time.Time
	// busy counts the moves since time has passed.
	busy int

	mu      sync.Mutex
	waiting []*waiter
	// marks are all that processes have ever left. Real ones leave some of them.
	marks map[scheduler.Mark]bool
}

func newWorld(c *choices, t *trace) *world {
	w := &world{shared: common(), choices: c, trace: t, marks: map[scheduler.Mark]bool{}}
	if c.lists {
		w.shared = surveying()
	}
	if c.references {
		w.shared = referring()
	}
	if c.brake {
		w.shared = braking()
	}
	if c.accounts {
		w.shared = several()
	}
	if c.versions {
		w.shared, w.versions = versioned(), &versions{known: map[string]string{}}
	}
	w.api, w.cloud = newAPI(w), &cloud{
		w: w, reserved: map[string]time.Time{}, serials: map[string]int{}, latest: map[string]*object{},
		normalised: map[string]behaviour{},
	}
	w.actions = &actions{
		w: w, objects: map[string]*unstructured.Unstructured{}, ended: map[string]invocation.Phase{},
		changed: map[string]bool{}, recorded: map[string]recorded{},
	}
	w.users, w.check, w.leases = newUsers(w), newCheck(w), make([]lease, 1)
	if w.choices.one(4) {
		w.partSize = 256
	}
	if c.shared() {
		w.shards = c.replicas + c.next(3)
		w.leases = make([]lease, w.shards)
	}
	switch {
	case c.accounts:
		w.users.makeAccounts()
	case c.shared():
		w.users.makeConfigurations()
	}
	return w
}

func (w *world) now() time.Time { return time.Now() }

// note adds a line to the trace.
func (w *world) note(format string, args ...any) {
	if w.trace != nil {
		w.trace.add(w.now(), format, args...)
	}
}

// park waits for the verdict of a call.
func (w *world) park(x *waiter) verdict {
	w.mu.Lock()
	w.waiting = append(w.waiting, x)
	w.mu.Unlock()
	return <-x.resume
}

// release lets a call continue, and waits until nothing moves any more.
func (w *world) release(x *waiter, v verdict) {
	w.mu.Lock()
	w.waiting = slices.DeleteFunc(w.waiting, func(other *waiter) bool { return other == x })
	w.mu.Unlock()
	x.resume <- v
	synctest.Wait()
}

// calls returns the calls of processes that are not suspended, without those that are delayed, in
// an order that does not depend on the scheduling of goroutines.
func (w *world) calls() []*waiter {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.waiting, func(a, b *waiter) int {
		return cmp.Or(strings.Compare(a.what, b.what), strings.Compare(a.detail, b.detail), strings.Compare(a.p.name, b.p.name))
	})
	var out []*waiter
	for _, x := range w.waiting {
		if !x.p.suspended && (w.calm || !w.now().Before(x.delayed)) {
			out = append(out, x)
		}
	}
	return out
}

// start starts a process.
func (w *world) start() {
	w.serial++
	p := &process{w: w, name: fmt.Sprintf("p%d", w.serial), clock: w.skew()}
	p.observedAt = p.clock.Now()
	w.processes = append(w.processes, p)
	w.note("%s starts", p)
}

// skew returns the clock of a new process.
func (w *world) skew() (out skewed) {
	if !w.calm {
		out.by = time.Duration(w.choices.next(11)) * 500 * time.Millisecond
	}
	return out
}

// underway is how long a request takes at most to reach the API server.
const underway = 30 * time.Second

// kill ends a process, and with it the others of its replica. Of their calls, some take effect if
// wanted.
func (w *world) kill(p *process, effects bool) {
	if p.replica != nil {
		w.killReplica(p.replica, effects)
		return
	}
	w.end(p, effects)
}

// end ends a process. Of its calls, some take effect if wanted, unless it was suspended: then it
// has sent nothing lately.
func (w *world) end(p *process, effects bool) {
	sent := p.clock.Since(p.renewed) <= leaseSafe+underway
	p.dead.Store(true)
	w.check.failover()
	if p.unhear != nil {
		p.unhear()
	}
	w.processes = slices.DeleteFunc(w.processes, func(other *process) bool { return other == p })
	for {
		w.mu.Lock()
		i := slices.IndexFunc(w.waiting, func(x *waiter) bool { return x.p == p })
		var x *waiter
		if i >= 0 {
			slices.SortStableFunc(w.waiting, func(a, b *waiter) int {
				return cmp.Or(strings.Compare(a.what, b.what), strings.Compare(a.detail, b.detail), strings.Compare(a.p.name, b.p.name))
			})
			x = w.waiting[slices.IndexFunc(w.waiting, func(x *waiter) bool { return x.p == p })]
		}
		w.mu.Unlock()
		if x == nil {
			return
		}
		v := vanish
		if effects && !p.suspended && x.kind != change && w.choices.one(3) && sent {
			v = final
			w.note("%s dies after its call: %s", p, x.what)
		}
		w.release(x, v)
	}
}

// leader is the process that holds the lease of everything.
func (w *world) leader() *process { return w.leases[0].holder }

// leaders are the processes that hold leases.
func (w *world) leaders() (out []*process) {
	for _, l := range w.leases {
		if l.holder != nil && !l.holder.dead.Load() {
			out = append(out, l.holder)
		}
	}
	return out
}

// quiet reports whether nothing is to be done right now.
func (w *world) quiet() bool {
	if len(w.calls()) > 0 {
		return false
	}
	for _, p := range w.processes {
		if p.active() && (p.provider != w.wanted() || p.heard < len(w.api.log) || len(p.due()) > 0 || p.claims()) {
			return false
		}
	}
	return !slices.ContainsFunc(w.replicas, func(r *replica) bool {
		return r.heard < len(w.api.tables) || slices.ContainsFunc(r.processes(), func(p *process) bool { return p.leaving })
	})
}

// active reports whether a process leads, and begins new work.
func (p *process) active() bool { return !p.suspended && p.term > 0 && !p.leaving }

// claims reports whether objects are to be claimed now.
func (p *process) claims() bool {
	for k := range p.unclaimed {
		if !p.w.now().Before(p.claimAt[k]) {
			return true
		}
	}
	return false
}

// due are the resources to reconcile now.
func (p *process) due() []store.Key {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if len(p.working) >= 4 || p.provider != p.w.wanted() {
		return nil
	}
	var out []store.Key
	for _, k := range p.w.keys {
		if q := p.queue[k]; q != nil && !p.working[k] && !p.unclaimed[k] && !p.w.now().Before(q.at) {
			out = append(out, k)
		}
	}
	return out
}

// next is when the next resource is to be reconciled.
func (w *world) next() time.Duration {
	out := leasePeriod
	for _, p := range w.processes {
		if p.suspended || p.leaving {
			continue
		}
		w.mu.Lock()
		for _, at := range p.claimAt {
			out = min(out, time.Until(at))
		}
		for k, q := range p.queue {
			if !p.working[k] && !p.unclaimed[k] {
				out = min(out, time.Until(q.at))
			}
		}
		w.mu.Unlock()
	}
	return max(out, time.Millisecond)
}
