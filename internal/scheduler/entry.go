package scheduler

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/settling"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// place is where one resource is in memory, with what is needed of it at any time.
//
// Its fields and those of its entry are guarded by turn, which serializes the calls for one
// resource. Observe holds turn while it calls the provider and the store, so that no other call
// acts on an object that is being read. This delays only calls for the same resource, and a
// controller never reconciles a resource concurrently. Nothing else waits for turn: Remembered,
// Running, Gone and progress messages of a provider do not need it, and a background operation
// takes it only while no Observe calls a provider, since Observe answers from memory while an
// operation runs.
type place struct {
	key store.Key
	uid types.UID
	// next is another place of the same key. It is guarded by Scheduler.mu.
	next *place

	turn turn

	// entry is nil while the resource is at rest and the place is not locked; rested then holds its
	// state.
	entry  *entry
	rested rested

	// read is the version of the record that was loaded last. Until this process writes the record,
	// the write of an earlier one can still succeed.
	read string
	// schema is the schema that the record was decoded with. For the schema of another provider
	// version, the record is loaded again, so that it is upgraded.
	schema *schema.Resource
	// lost is set when the stored record may have been deleted.
	lost atomic.Bool
	// awaits is set while a plan waits for approval, and denied while a policy denies it, or
	// operations are paused.
	awaits, denied atomic.Bool
	// braked is set while the brake holds the destruction of the object.
	braked atomic.Bool
	// drifted is set while the object differs from its configuration because of changes outside
	// Landbridge.
	drifted atomic.Bool
	// shares is set while another resource has, or may have, its object, and replans when another
	// one was found to.
	shares, replans atomic.Bool
	// repeating is set while the object is changed again and again.
	repeating atomic.Bool
	// matched is when the object was last found as it was left.
	matched time.Time
	// confirmation is set when the object was read and found unchanged, and nothing has happened to
	// it since.
	confirmation *confirmation
	// unrecorded is that of the view's observation.
	unrecorded atomic.Pointer[Error]
	// observed is set when this process has observed the object.
	observed atomic.Bool
	// presence is guarded by Scheduler.mu.
	presence presence
	state    recordState
	// toldLeft is set when it was told that the object of a resource that is being deleted stays.
	toldLeft bool
	// resting is set while the values of the record's instance are not decoded, and the observation
	// is Rested.
	resting bool
	// unstable is set if the provider sends the same object with other bytes each time.
	unstable bool
	// remembered is the answer of Remembered; nil when the record is not known.
	remembered atomic.Pointer[Remembered]

	view view
	// validated is the hash of the configuration that the provider accepted last.
	validated string
	// begun is the id of the operation that this process began last.
	begun string
	last  *Outcome
	// ended is the process of the last operation: a create after Destroy completes a replacement.
	ended faultpoint.Process

	// claimant is the resource in the index of owners, and claimed identifies the request that its
	// claims were made for.
	claimant *ownership.Claimant
	claimed  claimed
}

// entry is the state of one resource in memory: its place, and what is not needed of a resource at
// rest.
type entry struct {
	*place
	details
}

// details are the part of an entry that is not needed of a resource at rest.
type details struct {
	record store.Record
	// policyWarned is the hash of the plan that policies have warned of last.
	policyWarned string
	// token is the create token of the next create; empty if none was planned.
	token string
	// warned has the warnings of the validation.
	warned diagnostic.Diagnostics
	// readWarned has the warnings of the last read.
	readWarned diagnostic.Diagnostics
	unsaved    unsavedTokens
	// interruption ends the operation that this process began last.
	interruption *journal.Interruption

	// undispatched is the id of an operation that never reached the provider, though its intent may
	// be stored. undispatchedAfter is the interrupted create that it began after; nil if there was
	// none.
	undispatched      string
	undispatchedAfter *instance.Operation
	// unresolved is an interrupted create whose object was not found and may still appear.
	unresolved *instance.Operation
	// missing are the objects that were not found, by the key of a deposed object, or "" for the
	// current one.
	missing map[string]*absence
	// seen is CreatedAt of the object that a read has found last.
	seen time.Time
	// updated is what the object was before its last update by this process; nil if that is long
	// ago.
	updated *updated
	// destroyed is the object that this process has destroyed last, if none was created since; else
	// nil.
	destroyed *destroyed

	// failed and deposedFailed delay the next attempt of operations on the current object, and on
	// deposed objects; nil if the last one has not failed.
	failed, deposedFailed *failure
	// attempts counts creates that failed after they had made an object, or may have.
	attempts attempts
	// flap has the corrections of the object; nil if there was none.
	flap *flap
	// lastApply is what the last apply has left; nil if it has settled, or that is not known.
	lastApply *settling.Left
	// alternated is a change that a look has shown to be needed and the next one has not; nil if
	// there was none.
	alternated *terraform.Plan
	// changed are the objects of a module that were changed a short time ago; nil without any.
	changed *settling.Changed
	// drifts is the drift of the object.
	drifts drifts

	// completed is a planned identity with the complete identity of the created object; nil if they
	// are the same.
	completed *ownership.Completed
}

// turn is a lock. Unlike a sync.Mutex, synctest recognizes a goroutine that waits for it.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// Lock implements sync.Locker.
func (t turn) Lock() { t <- struct{}{} }

// Unlock implements sync.Locker.
func (t turn) Unlock() { <-t }

// recordState is the state of the record in memory.
type recordState uint8

const (
	// unloaded: the record was not loaded yet. For a new resource that is not necessary.
	unloaded recordState = iota
	// assumed: the resource looked new, so the record was taken for empty. It is loaded as soon as
	// the resource does not look new any more: a process that died before it wrote the status may
	// have stored one.
	assumed
	// loaded: the record equals the stored one.
	loaded
	// outdated: the record was loaded, but another process may have written since. It is loaded
	// again before it is used.
	outdated
	// conflicted: a write failed, or its result is unknown. The record is loaded again, even for a
	// resource that looks new.
	conflicted
)

// view is the last observation.
type view struct {
	state decision.View
	// observation is nil for stale and imported views.
	observation *Observation
	// configHash is the hash of the configuration of a planned or applied view.
	configHash string
	// configurations are the provider configurations that it was made through.
	configurations []policy.Configuration
	// unplanned is set when the observation is the result of an operation, from which no plan was
	// made yet: the provider may want to change what it has just made.
	unplanned bool
	// progress collects the messages of the provider in a running view.
	progress *journal.Progress
	// release ends the attempts to store an outcome that cannot be stored; nil if there is none.
	release func()
}

// fits reports whether the view was made for the configuration of a request, and through its
// provider configurations.
func (v *view) fits(r *Request) bool {
	return (v.state == decision.Planned || v.state == decision.Applied) && v.configHash == r.ConfigHash && v.through(r.Configurations)
}

// through reports whether the view was made through the provider configurations of a request or
// look, whatever is in them now.
func (v *view) through(configurations []policy.Configuration) bool {
	return slices.EqualFunc(v.configurations, configurations, policy.Configuration.Same)
}

// discard makes the view stale, except for an import that was not reported yet.
func (v *view) discard() {
	state := decision.Stale
	if v.state == decision.Imported {
		state = decision.Imported
	}
	*v = view{state: state}
}

// setRecord sets the record in memory.
func (e *entry) setRecord(rec store.Record, state recordState) {
	e.record, e.state, e.confirmation = rec, state, nil
	e.publish()
}

// invalidate makes the next use load the record again.
func (e *entry) invalidate(state recordState) {
	e.state, e.confirmation = state, nil
	e.publish()
}

// knows reports whether the record in memory can be used.
func (e *entry) knows(r *Request) bool {
	return e.schema == r.Type.Schema && (e.state == loaded || e.state == assumed && r.New)
}

// publish updates the answer of Remembered.
func (e *entry) publish() {
	if e.state == unloaded || e.state == conflicted {
		e.remembered.Store(nil)
		return
	}
	in := &e.record.Instance
	if in.Status == instance.Full && len(in.Deposed) == 0 && in.Operation == nil && e.record.Handled == (store.Tokens{}) {
		e.remembered.Store(&rememberedFull)
		return
	}
	e.remembered.Store(&Remembered{Status: in.Status, Deposed: in.Deposed, Handled: e.record.Handled, Interrupted: in.Operation != nil})
}

// lock locks the place, and returns its entry with the values of the object.
func (x *place) lock() *entry {
	e := x.lockAtRest()
	e.decode()
	return e
}

// lockAtRest locks the place, and returns its entry. A resource at rest stays so.
func (x *place) lockAtRest() *entry {
	x.turn.Lock()
	if x.entry == nil {
		x.entry = x.rested.entry(x)
	}
	return x.entry
}

// unlock is the end of lock and lockAtRest. Of a resource at rest, only the place remains.
func (e *entry) unlock() {
	x := e.place
	if x.resting {
		if r, ok := e.restedOf(); ok {
			x.rested, x.entry = r, nil
			x.share()
		}
	}
	x.turn.Unlock()
}

// decode decodes the values of an object at rest. If that is not possible, the record is loaded
// again.
func (e *entry) decode() {
	if !e.resting {
		return
	}
	e.resting = false
	in, err := e.record.Instance.Unpacked(e.schema)
	if err != nil {
		e.invalidate(outdated)
		e.view.discard()
		return
	}
	e.record.Instance = in
	e.view.observation = &Observation{Instance: in, Plan: &upToDate, Last: e.last}
}

// share keeps one copy of equal hashes.
func (e *place) share() {
	hash := e.view.configHash
	for _, other := range []*string{&e.validated, &e.claimed.hash} {
		if *other == hash {
			*other = hash
		}
	}
}

// rested is what is needed of an entry while its resource is at rest.
type rested struct {
	version                        string
	account                        instance.Account
	wire                           *instance.Wire
	private                        []byte
	schemaVersion, identityVersion int64
	identified, createFirst        bool
	// planned is that of drifts.
	planned   bool
	completed *ownership.Completed
	history   []byte
	former    *store.Former
}

// entry returns the entry of a place from what was rested.
func (r *rested) entry(of *place) *entry {
	out := &entry{place: of}
	r.into(&out.details, of.uid)
	return out
}

// into writes what was rested into out.
func (r *rested) into(out *details, uid types.UID) {
	in := instance.Undecoded(r.wire, r.identified)
	in.SchemaVersion, in.IdentityVersion, in.Private, in.CreateBeforeDestroy = r.schemaVersion, r.identityVersion, r.private, r.createFirst
	*out = details{
		record: store.Record{
			Owner: uid, Version: r.version, Instance: in, Account: r.account, History: r.history, Former: r.former,
		}, drifts: drifts{planned: r.planned}, completed: r.completed,
	}
}

// restedOf returns what is needed of a resource at rest; ok is false if there is more.
func (e *entry) restedOf() (_ rested, ok bool) {
	in := &e.record.Instance
	r := rested{
		version: e.record.Version, account: e.record.Account, wire: in.Wire, private: in.Private,
		schemaVersion: in.SchemaVersion, identityVersion: in.IdentityVersion,
		identified: in.HasIdentity(), createFirst: in.CreateBeforeDestroy, planned: e.drifts.planned,
		completed: e.completed, history: e.record.History, former: e.record.Former,
	}
	back := compared.Get().(*details)
	defer func() {
		*back = details{} // the pool must not keep what it refers to
		compared.Put(back)
	}()
	r.into(back, e.uid)
	if len(e.missing) == 0 {
		back.missing = e.missing
	}
	return r, reflect.DeepEqual(&e.details, back)
}

// compared are for what restedOf compares.
var compared = sync.Pool{New: func() any { return new(details) }}
