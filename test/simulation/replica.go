package simulation

import (
	"context"
	"fmt"
	"slices"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// With replicas, the work is divided into shards. Each replica is a program that runs the
// controllers of the shards that it should hold: each is a process with a lease, a scheduler and
// caches of its own. What they know of each other, and of the table of provider configurations, is
// the code of package sharding.

// replica is one program that shares the work, from its start to its end.
type replica struct {
	w         *world
	name      string
	clock     skewed
	members   *sharding.Members
	placement *sharding.Placement
	// shards are the processes by their shards: those that work, that wait for their leases, and
	// that end in order.
	shards    map[int]*process
	suspended bool
	// silent is until when it does not renew its Lease, so that others take it for dead.
	silent time.Time
	// ends is set when the program was told to end.
	ends   bool
	ticked time.Time
	// heard is of the versions of the table.
	heard int
}

func (r *replica) String() string { return r.name }

// startReplica starts a replica.
func (w *world) startReplica() {
	w.serial++
	name := fmt.Sprintf("r%d", w.serial)
	r := &replica{w: w, name: name, clock: w.skew(), shards: map[int]*process{}, heard: len(w.api.tables)}
	r.members = &sharding.Members{Leases: leaseClient{a: w.api}, Of: "landbridge", ID: name, Duration: leaseDuration}
	r.placement = &sharding.Placement{
		Secrets: tableClient{a: w.api}, Name: "landbridge-shards", Key: "key", Shards: w.shards, Logger: logr.Discard(),
		Outdated: func(err error) { panic(err) },
	}
	w.replicas = append(w.replicas, r)
	w.note("%s starts", r)
	if err := r.placement.Start(context.Background()); err != nil {
		panic(err) // the table is read and written at once
	}
}

// killReplica ends a replica with all its processes, see kill.
func (w *world) killReplica(r *replica, effects bool) {
	w.replicas = slices.DeleteFunc(w.replicas, func(other *replica) bool { return other == r })
	for _, p := range r.processes() {
		w.end(p, effects)
	}
	r.shards = nil
}

// processes are the processes of a replica, by their shards.
func (r *replica) processes() []*process {
	var out []*process
	for number := range r.w.shards {
		if p := r.shards[number]; p != nil {
			out = append(out, p)
		}
	}
	return out
}

func (r *replica) suspend(now bool) {
	r.suspended = now
	for _, p := range r.shards {
		p.suspended = now
	}
}

// tick does what a replica does periodically: it renews its leases, and takes and gives up shards.
func (r *replica) tick() {
	r.ticked = r.w.now()
	for _, p := range r.processes() {
		if p.tick(); r.shards == nil { // a lease was lost
			return
		}
		synctest.Wait()
	}
	r.handOver()
	switch {
	case r.shards == nil:
	case r.ends && len(r.shards) == 0:
		r.w.note("%s has ended", r)
		_ = r.members.Leave(context.Background())
		r.w.killReplica(r, false)
	case !r.ends && !r.w.now().Before(r.silent):
		alive, err := r.members.Alive(context.Background())
		if err != nil {
			panic(err) // the simulated Leases are always there
		}
		r.take(shard.Holders(alive, r.w.shards))
	}
}

// tickReplicas lets replicas do what they do periodically, and starts those that are missing.
func (w *world) tickReplicas() {
	for _, r := range slices.Clone(w.replicas) {
		if !r.suspended && w.now().Sub(r.ticked) >= leasePeriod {
			r.tick()
			synctest.Wait()
		}
	}
	w.completeAll()
	w.musterReplicas()
}

// musterReplicas starts the replicas that are missing.
func (w *world) musterReplicas() {
	for len(w.replicas) < w.choices.replicas && (w.calm || !w.now().Before(w.away)) {
		w.startReplica()
	}
}

// hear tells a replica the next version of the table.
func (r *replica) hear() {
	s := r.w.api.tables[r.heard]
	r.heard++
	if err := r.placement.Store().Add(s); err != nil {
		panic(err) // it is a Secret
	}
}

// take takes the shards that the replica should hold, and gives up the others.
func (r *replica) take(holders []string) {
	for number, holder := range holders {
		p, wanted := r.shards[number], holder == r.name
		switch {
		case p == nil && wanted:
			r.w.note("%s takes shard %d", r, number)
			r.shards[number] = r.w.startShard(r, number)
		case p != nil && !wanted && !p.leaving:
			r.giveUp(p)
		}
	}
}

func (w *world) startShard(r *replica, number int) *process {
	p := &process{w: w, name: fmt.Sprintf("%s-s%d", r, number), replica: r, shard: number, clock: r.clock}
	p.worker = &sharding.Worker{Number: number, Placement: r.placement, Records: p.hasRecord}
	p.observedAt = p.clock.Now()
	w.processes = append(w.processes, p)
	return p
}

// giveUp ends the controllers of a shard in order: operations may end, if they do in time.
func (r *replica) giveUp(p *process) {
	w := r.w
	w.note("%s gives up shard %d", r, p.shard)
	p.leaving = true
	if p.term == 0 {
		p.stopped = true
		return
	}
	p.stopReconciling()
	grace := 30 * time.Second
	if !w.calm {
		grace = pick(w.choices, grace, 5*time.Second, 100*time.Millisecond)
		p.stubborn = w.choices.one(2)
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		p.stopError = p.scheduler.Stop(ctx)
		p.stopped = true
	}()
	synctest.Wait()
}

// handOver releases the leases of the shards whose controllers have ended in order. If some did
// not, the program fails.
func (r *replica) handOver() {
	for _, p := range r.processes() {
		if !p.stopped {
			continue
		}
		w := r.w
		w.note("%s has given up shard %d: %s", r, p.shard, errorText(p.stopError))
		delete(r.shards, p.shard)
		w.end(p, true)
		if l := &w.leases[p.shard]; l.holder == p {
			*l = lease{count: l.count + 1}
		}
		if p.stopError != nil {
			w.killReplica(r, true)
			return
		}
	}
}

// stop tells a replica to end.
func (r *replica) stop() {
	r.w.note("%s is told to end", r)
	r.ends = true
	for _, p := range r.processes() {
		if !p.leaving {
			r.giveUp(p)
		}
	}
}

// processKey is the key of the process of a call in its context.
type processKey struct{}

// divided is a sharding.Worker whose calls of the API server are those of a process.
type divided struct {
	*sharding.Worker
	p *process
}

var _ managed.Shards = divided{}

// Place implements managed.Shards.
func (d divided) Place(ctx context.Context, together []ownership.Access, types []string) error {
	return d.Worker.Place(context.WithValue(ctx, processKey{}, d.p), together, types)
}

// Divide implements managed.Shards.
func (d divided) Divide(ctx context.Context, configuration string, split bool) error {
	return d.Worker.Divide(context.WithValue(ctx, processKey{}, d.p), configuration, split)
}

// Confirm implements managed.Shards.
func (d divided) Confirm(ctx context.Context, a ownership.Access, resourceType string) error {
	return d.Worker.Confirm(context.WithValue(ctx, processKey{}, d.p), a, resourceType)
}

// delay has a call wait for long, preferably one of an operation, so that shards meet in the middle
// of it.
func (w *world) delay() {
	calls := w.calls()
	if of := slices.DeleteFunc(slices.Clone(calls), func(x *waiter) bool { return !x.operation }); len(of) > 0 {
		calls = of
	}
	if len(calls) > 0 {
		x := pick(w.choices, calls...)
		x.delayed = w.now().Add(pick(w.choices, 100*time.Millisecond, 5*time.Second, 25*time.Second))
		w.note("delayed: %s", x.what)
	}
}

// faultOfReplicas lets something go wrong that only replicas have.
func (w *world) faultOfReplicas() {
	if len(w.replicas) == 0 {
		return
	}
	r := pick(w.choices, w.replicas...)
	switch w.choices.next(6) {
	case 0, 1:
		w.note("%s is killed", r)
		w.killReplica(r, true)
		w.away = w.now().Add(pick(w.choices, 0, 20*time.Second, time.Minute)) // until another one starts
	case 2:
		w.note("%s is suspended", r)
		r.suspend(true)
	case 3:
		for _, r := range w.replicas {
			if r.suspended {
				w.note("%s continues", r)
				r.suspend(false)
			}
		}
	case 4:
		if !r.suspended && !r.ends {
			r.stop()
		}
	case 5:
		r.silent = w.now().Add(pick(w.choices, 20*time.Second, time.Minute))
		w.note("%s does not renew its Lease for a while", r)
	}
}

// hearTable has the process told of configurations that move.
func (p *process) hearTable() {
	if p.replica == nil {
		return
	}
	for _, key := range p.w.api.secretNames() {
		s := p.w.api.secrets[key]
		if k, ok := store.KeyOf(s); ok && isHead(s) {
			p.recorded(k, store.ShardOf(s))
		}
	}
	p.unhear = p.replica.placement.Hear(p.shard, func(units []shard.Unit) {
		for _, k := range p.kinds {
			k.Forget(units)
			k.Moved(context.Background(), units)
		}
	})
}

// kindQueue is the work queue of a kind.
type kindQueue struct {
	p *process
	m *model.Resource
}

// Add implements turns.Queue.
func (q kindQueue) Add(r reconcile.Request) {
	q.p.enqueue(store.Key{Group: q.m.Group, Kind: q.m.Kind, Namespace: r.Namespace, Name: r.Name}, 0)
}

// Len implements turns.Queue.
func (q kindQueue) Len() int { return q.p.Len() }
