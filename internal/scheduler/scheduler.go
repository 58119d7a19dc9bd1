package scheduler

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// Interface is what a reconciler asks of a Scheduler.
type Interface interface {
	// Observe says what is known of the remote object. The same *Observation as before is
	// returned when nothing has changed since.
	Observe(ctx context.Context, r Request) (*Observation, error)
	// Apply starts what the plan of the last Observe says, or reports what became of it: nil
	// while it runs, an *Error when it failed and it is too early to try again.
	Apply(ctx context.Context, r Request) error
	// Delete starts to destroy the object, or reports what became of that.
	Delete(ctx context.Context, r Request) error
	// Forget removes what is remembered of the object, which itself stays as it is.
	Forget(ctx context.Context, r Request) error
	// Claim makes known which remote objects a resource that has been worked on before is about,
	// from what is stored of it. As long as that is not known of all of them, nobody must write.
	Claim(ctx context.Context, r Request) error
	// Gone says that there is no such custom resource any more, so that others may have its objects.
	Gone(k store.Key)
	// Remembered is what is known of the resource without asking anybody; false when that is nothing.
	Remembered(r Request) (Remembered, bool)
	// Running is how many operations run.
	Running() int
}

// Options of a Scheduler.
type Options struct {
	Store  store.Store
	Logger logr.Logger
	// Wake is called when an operation has ended and its outcome is stored, when one has run for
	// LongOperation, and when a remote object that the resource is about has changed hands.
	Wake func(store.Key)
	// Exists says whether there is a custom resource of the key and UID. It is asked of the owner
	// of a remote object before another resource is refused because of it, and of a resource before
	// what is stored of another one of its name is taken for its own; nil is always yes.
	Exists func(context.Context, store.Key, types.UID) bool
	// LongOperation is how long an operation runs until it is worth telling of; 1 second by default.
	LongOperation time.Duration
	// Clock is the real one by default.
	Clock clock.WithDelayedExecution
	// OperationTimeout bounds operations of which neither the request nor the provider says how
	// long they may take, and the wait for their turn; 1 hour by default.
	OperationTimeout time.Duration
	// OperationsPerConfiguration bounds how many operations run at once with one provider
	// configuration; 1000 by default. It is for the worst: whatever is wanted beyond it waits for what is slow.
	OperationsPerConfiguration int64
	// Lease is how long another process waits before it begins to work where this one did, after
	// it heard of it last; 0 if there is never another one.
	Lease time.Duration
	// Leads says whether no other process can have begun to work, nor can at once; nil is always yes.
	// Without it nothing is written and no operation begins; those under way are still recorded.
	Leads func() bool
	// MinBackoff and MaxBackoff bound the wait after failed operations, which doubles with
	// each failure in a row; 1 second and 5 minutes by default.
	MinBackoff, MaxBackoff time.Duration
}

// Scheduler implements Interface. Make one with New.
type Scheduler struct {
	o      Options
	owners ownership.Index

	mu       sync.Mutex
	entries  map[types.UID]*entry
	limits   map[string]*semaphore.Weighted
	stopping bool
	running  sync.WaitGroup
	count    atomic.Int64
	// cancelled when the grace period of Stop is over.
	ctx    context.Context
	cancel context.CancelFunc
	// began is when the first resource was looked at.
	began func() time.Time
}

var _ Interface = (*Scheduler)(nil)

// entry is what is held in memory of one resource.
type entry struct {
	mu     sync.Mutex
	loaded bool
	// outdated says that what is stored may be newer than the record.
	outdated bool
	record   store.Record
	// schema is what the record was decoded with: that of another version of the provider needs
	// the record anew, so that it is upgraded.
	schema *schema.Resource
	// observation is the last complete one, made for configHash; or that of what is running.
	observation *Observation
	configHash  string
	// applied says that observation is what an operation left, which nobody has told of yet.
	applied bool
	// validated is the hash of the configuration that the provider accepted last.
	validated string
	// taken says that the object was taken over, and not observed since.
	taken bool
	// conflicted says that something is stored for the resource, contrary to expectation.
	conflicted bool
	running    *instance.Operation
	// undispatched is the id of an operation that never got to the provider, though its intent
	// may be stored.
	undispatched string
	// begun is the id of the operation that this process began last.
	begun string
	// doubt is an interrupted create whose object was looked for in vain, and may appear yet.
	doubt *instance.Operation
	// missing is since when tainted objects, by the keys of deposed ones and "" for the current
	// one, are not found, which does not prove that they are gone as long as they were not destroyed.
	missing map[string]time.Time
	last    *Outcome
	// failed and deposedFailed keep operations on the current object, and on deposed ones, from
	// being tried again too early.
	failed, deposedFailed failure
	// replacing says that the last operation was the destroying half of a replacement.
	replacing bool
	// unsaved says that there is a handled token that is not in the store.
	unsaved bool

	// claimant is the resource in the index of owners; claimed is what its claims were made for,
	// and completed what an identity that was planned in part turned out to be.
	claimant  *ownership.Claimant
	claimed   claimed
	completed completed
}

// New makes a Scheduler.
func New(o Options) *Scheduler {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.OperationTimeout == 0 {
		o.OperationTimeout = time.Hour
	}
	if o.OperationsPerConfiguration == 0 {
		o.OperationsPerConfiguration = 1000
	}
	if o.LongOperation == 0 {
		o.LongOperation = time.Second
	}
	if o.MinBackoff == 0 {
		o.MinBackoff = time.Second
	}
	if o.MaxBackoff == 0 {
		o.MaxBackoff = 5 * time.Minute
	}
	if o.Wake == nil {
		o.Wake = func(store.Key) {}
	}
	if o.Leads == nil {
		o.Leads = func() bool { return true }
	}
	s := &Scheduler{o: o, entries: map[types.UID]*entry{}, limits: map[string]*semaphore.Weighted{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.began = sync.OnceValue(o.Clock.Now)
	return s
}

// Stop starts no more operations and waits for those that run to be concluded, until ctx ends.
// Then it cancels what is left, and waits until that is recorded. Their providers must be
// told to stop by whoever owns them.
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

// Running is how many operations run.
func (s *Scheduler) Running() int { return int(s.count.Load()) }

func (s *Scheduler) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

func (s *Scheduler) entry(uid types.UID) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[uid]
	if !ok {
		e = &entry{}
		s.entries[uid] = e
	}
	return e
}

// Observe implements Interface.
func (s *Scheduler) Observe(ctx context.Context, r Request) (*Observation, error) {
	e := s.entry(r.UID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running != nil {
		return e.observation, nil
	}
	if err := s.load(ctx, e, r); err != nil {
		return nil, err
	}
	if o, err := s.yield(ctx, e, r); o != nil || err != nil {
		return o, err
	}
	if e.applied && e.observation != nil && r.Config != nil && e.configHash == r.ConfigHash {
		// What a provider answers to an apply was checked against the plan and is the new state;
		// as in Terraform, it is read at the next occasion.
		e.applied = false
		return e.observation, nil
	}
	s.retry(e, r)
	if r.Config == nil && !e.record.Instance.Exists() && len(e.record.Instance.Deposed) == 0 && e.record.Instance.Operation == nil && (e.record.Version != "" || r.Known == nil && !r.Import.Asked()) {
		return &Observation{Last: e.last}, nil // nothing to delete: no provider is needed to say so
	}
	ex, release, diags := r.Acquire(ctx)
	if diags.HasErrors() {
		return nil, failed(ReasonProviderUnavailable, diags)
	}
	defer release()

	if e.record.Instance.Operation != nil {
		if err := s.leave(e); err != nil {
			return nil, err
		}
		if err := s.recover(ctx, e, r, ex); err != nil {
			return nil, err
		}
	}
	if err := s.act(ctx, e, r); err != nil {
		return nil, err
	}
	if in := e.record.Instance; !in.Exists() && len(in.Deposed) == 0 {
		look := s.find
		if e.record.Version != "" {
			look = s.importAfterwards
		}
		if err := look(ctx, e, r, ex); err != nil {
			return nil, err
		}
	}
	unchanged, err := s.read(ctx, e, r, ex)
	if err != nil {
		return nil, err
	}
	if unchanged && e.observation != nil && e.configHash == r.ConfigHash {
		return e.observation, nil
	}
	if e.record.Instance.Exists() {
		s.claim(e, r, e.record.Instance)
		if o, err := s.yield(ctx, e, r); o != nil || err != nil {
			return o, err
		}
	}
	o, err := s.observe(ctx, e, r, ex)
	if err != nil {
		return nil, err
	}
	s.claim(e, r, e.record.Instance, wants(e, r, o.Plan)...)
	if o, err := s.yield(ctx, e, r); o != nil || err != nil {
		return o, err
	}
	return o, nil
}

// read reads the current object, and says whether it is as it was. Where it is gone, and there
// are deposed ones, the last of those takes its place.
func (s *Scheduler) read(ctx context.Context, e *entry, r Request, ex terraform.Executor) (unchanged bool, err error) {
	if in := e.record.Instance; !in.Exists() && len(in.Deposed) > 0 && in.Operation == nil {
		if err := s.save(ctx, e, r, in.FallBack("")); err != nil {
			return false, err
		}
	}
	for e.record.Instance.Exists() {
		before := e.record.Instance
		refreshed, diags := ex.Refresh(ctx, r.Resource, before)
		if diags.HasErrors() && refreshed.IdentityUpgrade {
			return false, failed(ReasonIdentityUpgradeFailed, diags)
		}
		if diags.HasErrors() {
			return false, failed(ReasonReadFailed, diags)
		}
		gone := !refreshed.Instance.Exists()
		if gone {
			if found, err := s.newer(ctx, e, r, ex, before); found || err != nil {
				return false, err
			}
		}
		if gone && mayDestroy(r) && s.mayAppear(e, r, "", before) {
			return false, nil
		}
		delete(e.missing, "")
		if refreshed.Unchanged {
			e.record.Instance = refreshed.Instance // the same, and now known as the provider sends it
			return true, nil
		}
		after := refreshed.Instance.AfterIdentity(before, s.o.Clock.Now())
		if err := s.save(ctx, e, r, after.FallBack("")); err != nil {
			return false, err
		}
		if instance.IdentityChanged(before, after) {
			r.tell(Event{Kind: IdentityChanged, From: before.Identity, To: after.Identity})
		}
		switch {
		case gone && r.Config != nil:
			r.tell(Event{Kind: Gone})
		case before.Status == instance.Partial && !gone:
			r.tell(Event{Kind: Read})
		}
		if !gone {
			break
		}
	}
	return false, nil
}

// observe plans, and remembers the observation.
func (s *Scheduler) observe(ctx context.Context, e *entry, r Request, ex terraform.Executor) (*Observation, error) {
	o := &Observation{Instance: e.record.Instance, Last: e.last, Imported: e.taken}
	e.observation, e.configHash = nil, ""
	if r.Config != nil {
		config := *r.Config
		config.Validated = e.validated != "" && e.validated == r.ConfigHash
		p, diags := ex.Plan(ctx, r.Resource, e.record.Instance, config)
		if diags.HasErrors() {
			return nil, failed(ReasonInvalidConfiguration, diags)
		}
		e.validated = r.ConfigHash
		o.Plan, o.Warnings = &p, diags.Warnings()
		if p.Action == terraform.NoOp {
			o.Plan = &upToDate // there is nothing to apply, so the values need not be kept
		}
	}
	e.observation, e.configHash, e.taken = o, r.ConfigHash, false
	return o, nil
}

// upToDate is the plan of all resources that are as they should be.
var upToDate = terraform.Plan{Action: terraform.NoOp}

// load gets the record from the store, once for each version of the provider.
func (s *Scheduler) load(ctx context.Context, e *entry, r Request) error {
	s.began()
	if e.loaded && !e.outdated && e.schema == r.Resource.Schema {
		return nil
	}
	var retried string
	if e.outdated && e.unsaved {
		retried = e.record.Handled.Retry
	}
	e.loaded, e.observation, e.configHash, e.validated, e.unsaved, e.claimed = false, nil, "", "", false, claimed{}
	if r.New && !e.conflicted {
		// If something is stored all the same, the first write finds out.
		e.record, e.loaded, e.schema = store.Record{}, true, r.Resource.Schema
		return nil
	}
	rec, err := s.o.Store.Load(ctx, r.Key, r.Resource.Schema)
	switch {
	case errors.Is(err, store.ErrNotFound):
		rec = store.Record{}
	case err != nil:
		return &Error{Reason: ReasonStore, Err: err}
	case rec.Owner != r.UID && s.o.Exists != nil && !s.o.Exists(ctx, r.Key, r.UID):
		// This process has not heard of it yet: it may have been suspended.
		return &Error{Reason: ReasonStore, Err: errors.New("what is stored is another resource's: this one is not there any more")}
	case rec.Owner != r.UID:
		// The resource or the Secret was restored from a backup, or the resource was deleted and
		// made anew while nobody watched. What is stored is read before it is believed.
		s.o.Logger.Info("Stored instance belongs to an earlier resource of the same name", "resource", r.Key, "uid", r.UID, "owner", rec.Owner)
	}
	if retried != "" {
		rec.Handled.Retry, e.unsaved = retried, true
	}
	e.record, e.loaded, e.outdated, e.schema = rec, true, false, r.Resource.Schema
	return nil
}

// save stores the instance. A conflict means that another controller works on the same
// resource, or that the Secret was tampered with: what is in memory is not to be believed.
func (s *Scheduler) save(ctx context.Context, e *entry, r Request, in instance.Instance) error {
	rec := e.record
	rec.Instance, rec.Owner = in, r.UID
	rec.Handled.Imported = rec.Handled.Imported || r.Import.Target != nil && (in.Exists() || e.record.Instance.Exists())
	e.observation, e.configHash = nil, ""
	if !s.o.Leads() {
		e.loaded, e.conflicted = false, true
		return &Error{Reason: ReasonStore, Err: errSuccessor}
	}
	rec, err := s.o.Store.Save(ctx, r.Key, r.Resource.Schema, rec)
	if err != nil {
		e.loaded, e.conflicted = false, true
		return &Error{Reason: ReasonStore, Err: err}
	}
	e.record, e.unsaved = rec, false
	return nil
}

// find imports the object that nothing is stored of: the one the user asked for, or if that
// is not there any more, the one that was known last.
func (s *Scheduler) find(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	if r.Import.Invalid != nil && (r.New || r.Known == nil) {
		return failed(ReasonInvalidConfiguration, r.Import.Invalid)
	}
	var notFound diagnostic.Diagnostics
	var known *terraform.ImportTarget
	if r.Known != nil {
		known = &r.Known.Target
	}
	for _, target := range []*terraform.ImportTarget{r.Import.Target, known} {
		if target == nil {
			continue
		}
		in, diags := ex.Import(ctx, r.Resource, *target)
		switch {
		case !diags.HasErrors() && target == known:
			if err := s.doubt(ctx, e, r, ex, in); err != nil {
				return err
			}
			return s.take(ctx, e, r, in)
		case !diags.HasErrors():
			return s.take(ctx, e, r, in)
		case !terraform.NonExistent(diags) && target == known:
			return notLookedFor("Nothing is stored of this resource's object", diags)
		case !terraform.NonExistent(diags):
			return failed(ReasonImportFailed, diags)
		case target == r.Import.Target:
			notFound = diags
		}
	}
	switch {
	case r.Import.Invalid != nil:
		return failed(ReasonInvalidConfiguration, r.Import.Invalid)
	case notFound != nil:
		return failed(ReasonImportFailed, notFound)
	}
	return nil
}

// Forget implements Interface.
func (s *Scheduler) Forget(ctx context.Context, r Request) error {
	e := s.entry(r.UID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running != nil {
		return &Error{Reason: ReasonStore, Err: errors.New("an operation is still running")}
	}
	if err := s.forget(ctx, e, r); err != nil {
		return &Error{Reason: ReasonStore, Err: err}
	}
	s.mu.Lock()
	delete(s.entries, r.UID)
	s.mu.Unlock()
	s.wake(s.owners.Release(r.Key))
	return nil
}

// forget removes what is stored of this very resource: there may be a new one of the same name.
func (s *Scheduler) forget(ctx context.Context, e *entry, r Request) error {
	if !s.o.Leads() {
		return errSuccessor
	}
	for e.loaded && !e.outdated {
		err := s.o.Store.Delete(ctx, r.Key, e.record.Version)
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		e.loaded = false
	}
	rec, err := s.o.Store.Load(ctx, r.Key, r.Resource.Schema)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case rec.Owner != r.UID:
		return nil
	}
	return s.o.Store.Delete(ctx, r.Key, rec.Version)
}

// Apply implements Interface.
func (s *Scheduler) Apply(ctx context.Context, r Request) error {
	e := s.entry(r.UID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running != nil {
		return nil
	}
	if rival, ok := s.rival(ctx, e); ok {
		return identityConflict(rival)
	}
	observed := e.observation != nil && e.observation.Plan != nil && e.configHash == r.ConfigHash
	var kept error
	if observed {
		var started bool
		if started, kept = s.destroyDeposed(e, r); started {
			return kept
		}
	}
	if err := s.backoff(&e.failed, r); err != nil {
		return err
	}
	if !observed {
		return &Error{Reason: ReasonStore, Err: errors.New("the resource changed since it was observed")}
	}
	p := *e.observation.Plan
	switch {
	case p.Action == terraform.NoOp:
		return kept
	case p.Action.IsReplace() && (!r.Policies.Replace || p.Reason == terraform.ReplaceBecauseTainted && !r.Policies.ReplaceTainted):
		return failed(ReasonReplaceRefused, replaceRefused(p))
	case len(p.Destroys()) > 0 && !r.Policies.Replace:
		return failed(ReasonReplaceRefused, containedRefused(p))
	case p.Action.IsReplace():
		return s.replace(e, r, p)
	case p.Action == terraform.Create:
		if err := s.doubted(e, r, p); err != nil {
			return err
		}
		return s.start(e, r, task{kind: instance.Create, plan: &p})
	default:
		return s.start(e, r, task{kind: instance.Update, plan: &p})
	}
}

// Delete implements Interface.
func (s *Scheduler) Delete(_ context.Context, r Request) error {
	e := s.entry(r.UID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running != nil {
		return nil
	}
	if !e.loaded || e.record.Instance.Operation != nil {
		return &Error{Reason: ReasonStore, Err: errors.New("the resource was not observed since its last operation")}
	}
	if !e.record.Instance.Exists() {
		return nil
	}
	if err := s.backoff(&e.failed, r); err != nil {
		return err
	}
	return s.start(e, r, task{kind: instance.Delete})
}

func replaceRefused(p terraform.Plan) diagnostic.Diagnostics {
	if p.Reason == terraform.ReplaceBecauseTainted {
		return diagnostic.Errorf("Replacement refused", "The remote object is tainted: its creation did not end well. It would have to be destroyed and created anew, which spec.lifecycle.taintPolicy, spec.lifecycle.replacePolicy or spec.managementPolicies do not allow. Allow it, or untaint the resource.")
	}
	var out diagnostic.Diagnostics
	for _, path := range p.RequiresReplace {
		out = append(out, diagnostic.AttributeErrorf(path, "Replacement refused", "This change would destroy the remote object and create it anew, which spec.lifecycle.replacePolicy or spec.managementPolicies do not allow. Allow it, or take the change back.")...)
	}
	if out == nil {
		out = diagnostic.Errorf("Replacement refused", "This change would destroy the remote object and create it anew, which spec.lifecycle.replacePolicy or spec.managementPolicies do not allow.")
	}
	return out
}
