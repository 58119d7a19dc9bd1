package scheduler

import (
	"cmp"
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/scheduler/survey"
)

// Interface has the methods of a Scheduler that a reconciler uses.
type Interface interface {
	// Observe returns an observation of the remote object. It returns the same *Observation as
	// before if nothing has changed since.
	Observe(ctx context.Context, r Request) (*Observation, error)
	// Look looks at a resource that was Rested with its last request, if nothing that the request
	// is made of has changed since but for the provider configuration. It returns nil if the
	// resource is still at rest, and ErrNotAtRest if that does not tell enough.
	Look(ctx context.Context, l Look) error
	// Apply starts to carry out the plan of the last Observe. It returns nil while the operation
	// runs, and an *Error when it failed and it is too early to try again.
	Apply(ctx context.Context, r Request) error
	// Delete starts to destroy the object, and returns the same as Apply.
	Delete(ctx context.Context, r Request) error
	// Retire is called before a resource without an object is released. Afterwards no earlier
	// process, whose write may be on its way, can change the record.
	Retire(ctx context.Context, r Request) error
	// Forget removes the record of the object. It does not change the object itself.
	Forget(ctx context.Context, r Request) error
	// Claim claims the remote objects of a resource from its record. Nothing may be written until
	// this was done for all existing resources.
	Claim(ctx context.Context, r Request) error
	// Sought returns the objects that a resource claims and no other may have; false if they are
	// not known. Something may be written for the resource before Claim was called for all others,
	// if it was called for those whose records may name one of them (store.Secrets.Naming).
	Sought(r Request) (Sought, bool)
	// Mark returns the mark of a resource that was observed last with this request, and left
	// nothing to do. It is false for other resources, and where a plan depends on more than is
	// known.
	Mark(r Request) (Mark, bool)
	// Rest releases the memory that a resource only needs when it changes, if the last Observe left
	// nothing to do. It reports whether the observation of the resource is Rested from now on,
	// which Observe answers only to requests that are Resting.
	Rest(r Request) bool
	// Recall returns the instance of a resource as far as memory has it, also of one at rest.
	Recall(k store.Key, uid types.UID) instance.Instance
	// Gone releases the claims and the memory of a deleted resource.
	Gone(k store.Key)
	// Deleted is called when a resource is deleted, also while it is still reconciled. Nothing is
	// begun or stored for it any more.
	Deleted(uid types.UID)
	// Leave lets the holder of another shard work on a resource, and forgets it. stored tells that
	// its record is known to belong to this shard, even if nothing of it is in memory. left is
	// false if there was nothing to do. It returns an error while an operation runs.
	Leave(ctx context.Context, k store.Key, stored bool) (left bool, _ error)
	// Reload makes the next Observe load the record from the store. It is called while a resource
	// is paused, because others may write its record meanwhile.
	Reload(k store.Key)
	// Interrupt interrupts the running operation of a resource by a token, if there is one. Observe
	// does so, too. It is called while a resource is paused, which is not observed.
	Interrupt(k store.Key, token string)
	// Remembered returns the facts in memory about the resource; false if there are none.
	Remembered(r Request) (Remembered, bool)
	// Running returns the number of running operations.
	Running() int
	// Operates reports whether an operation of a resource is running.
	Operates(k store.Key) bool
	// ObjectOf returns the object of a resource as it is recorded; none if that is not known here.
	// keeps is false if an operation changes it, or if it is known that there is none.
	ObjectOf(k store.Key) (in instance.Instance, keeps bool)
}

// Options of a Scheduler.
type Options struct {
	Store  store.Store
	Logger logr.Logger
	// Wake is called when an operation has ended and its outcome is stored, when one has run for
	// LongOperation, and when the owner of a remote object changes.
	Wake func(store.Key)
	// Told is called with each event that Request.Tell is called with, for metrics. Defaults to
	// nothing.
	Told func(store.Key, Event)
	// Recorded is called with each entry of the change record of a resource, after it is stored. An
	// operation is recorded when it has ended. Defaults to nothing.
	Recorded func(store.Key, history.Entry)
	// HistorySize is the most bytes of the change record of a resource. Defaults to
	// history.DefaultSize.
	HistorySize int
	// Exists reports whether there is a custom resource with the key and UID. It is called for the
	// owner of a remote object before another resource is refused because of it, and for a resource
	// before it adopts the record of another one with the same name, or stores a record again. It
	// returns an error if that is unknown. Defaults to true.
	Exists func(context.Context, store.Key, types.UID) (bool, error)
	// Elsewhere are the records of other shards; nil if there are none.
	Elsewhere Elsewhere
	// LongOperation is the time after which the resource of a running operation is woken to report
	// it. Defaults to 1s.
	LongOperation time.Duration
	// Clock defaults to the real one.
	Clock clock.WithDelayedExecution
	// OperationTimeout bounds operations for which neither the request nor the provider specifies
	// a timeout, and the wait for their turn. Defaults to 1h.
	OperationTimeout time.Duration
	// OperationsPerConfiguration bounds the concurrent operations of one provider configuration. It
	// is a safety limit: operations beyond it wait for slow ones, those of namespaces without any
	// operation last (package places). Defaults to 1000.
	OperationsPerConfiguration int64
	// Lease is the time that another process waits after this one's last renewal before it takes
	// over; 0 if there is no other process.
	Lease time.Duration
	// Leads reports whether certainly no other process has taken over. If it returns false, nothing
	// is written and no operation begins; running operations are still recorded. Defaults to true.
	Leads func() bool
	// PlanKey is the key of the hashes of plans, and of configurations that are stored. It has to
	// be the same in all processes of an installation, and secret. Defaults to a random one.
	PlanKey []byte
	// CreationGracePeriod is the time after a create within which an object that is not found may
	// exist all the same. Defaults to DefaultCreationGracePeriod; negative for none.
	CreationGracePeriod time.Duration
	// MinBackoff and MaxBackoff bound the delay after failed operations, which doubles with each
	// consecutive failure. Default to 1s and 5m.
	MinBackoff, MaxBackoff time.Duration
}

// Scheduler implements Interface. Use New to create one.
type Scheduler struct {
	o      Options
	owners ownership.Index
	// corrections has the last correction of each resource, to find those that undo each other.
	corrections corrections
	// brake holds destroys when there are too many of them.
	brake brake.Brake
	// sums makes the hashes of configurations that are stored.
	sums *keyed.Sums
	// surveys are lists of objects, by which unchanged ones are looked at.
	surveys survey.Surveys
	// proved are the provider configurations that have shown objects as they were stored with
	// others.
	proved sameAccounts
	// stores are the pairs of provider configurations of which it is known whether they access one
	// store.
	stores stores
	// schemas are those of the kinds.
	schemas schemas

	// moves is held while an object moves from one resource to another, or the outcome of a move is
	// determined. It is locked after the turn of an entry.
	moves locks

	// mu is only held for access to memory.
	mu       sync.Mutex
	places   places
	limits   limits
	stopping bool
	running  sync.WaitGroup
	count    atomic.Int64
	// ctx is cancelled when the grace period of Stop has passed.
	ctx    context.Context
	cancel context.CancelFunc
	// began returns when the first record was loaded.
	began func() time.Time
}

var _ Interface = (*Scheduler)(nil)

// New returns a Scheduler.
func New(o Options) *Scheduler {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	o.OperationTimeout = cmp.Or(o.OperationTimeout, time.Hour)
	o.OperationsPerConfiguration = cmp.Or(o.OperationsPerConfiguration, 1000)
	o.LongOperation = cmp.Or(o.LongOperation, time.Second)
	o.HistorySize = cmp.Or(o.HistorySize, history.DefaultSize)
	o.CreationGracePeriod = cmp.Or(o.CreationGracePeriod, DefaultCreationGracePeriod)
	o.MinBackoff = cmp.Or(o.MinBackoff, time.Second)
	o.MaxBackoff = cmp.Or(o.MaxBackoff, 5*time.Minute)
	if len(o.PlanKey) == 0 {
		o.PlanKey = make([]byte, 32)
		_, _ = rand.Read(o.PlanKey) // never fails
	}
	if o.Wake == nil {
		o.Wake = func(store.Key) {}
	}
	if o.Leads == nil {
		o.Leads = func() bool { return true }
	}
	if o.Exists == nil {
		o.Exists = func(context.Context, store.Key, types.UID) (bool, error) { return true, nil }
	}
	s := &Scheduler{
		o: o, sums: keyed.NewSums(o.PlanKey),
		limits: limits{most: o.OperationsPerConfiguration, byConfiguration: map[string]*limit{}},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.began = sync.OnceValue(o.Clock.Now)
	return s
}

// Stop starts no more operations and waits for the running ones until ctx ends. Then it cancels the
// rest, and waits until the cancellation is recorded. The caller stops the providers.
func (s *Scheduler) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() { s.running.Wait(); close(ended) }()
	select {
	case <-ended:
		s.cancel()
		return nil
	case <-ctx.Done():
		s.cancel()
		<-ended
		return ctx.Err()
	}
}

// Running implements Interface.
func (s *Scheduler) Running() int { return int(s.count.Load()) }

// Operates implements Interface.
func (s *Scheduler) Operates(k store.Key) bool {
	for _, x := range s.placesOf(k) {
		e := x.lock()
		runs := e.view.state == decision.Running
		e.unlock()
		if runs {
			return true
		}
	}
	return false
}

// ObjectOf implements Interface.
func (s *Scheduler) ObjectOf(k store.Key) (in instance.Instance, keeps bool) {
	keeps = true
	for _, x := range s.placesOf(k) {
		e := x.lock()
		if e.state == loaded {
			in = e.record.Instance
		}
		keeps = keeps && e.view.state != decision.Running && (e.state != loaded || in.Exists())
		e.unlock()
	}
	return in, keeps
}

func (s *Scheduler) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

// tell reports an event of the resource.
func (s *Scheduler) tell(r Request, e Event) {
	if s.o.Told != nil {
		s.o.Told(r.Key, e)
	}
	if r.Tell != nil {
		r.Tell(e)
	}
}

func (s *Scheduler) wake(keys []store.Key) {
	for _, k := range keys {
		s.o.Wake(k)
	}
}
