package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// TestJournal has processes crash, stores fail and providers not answer at random points of
// random changes. Whatever happens, a resource never has two objects, and no object is
// without a record, or an entry of the journal, that points to it.
func TestJournal(t *testing.T) {
	for _, kind := range []identityKind{noIdentity, assigned, plannedIdentity, derivable} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) { // a bubble has no deadline to ask for
					j := newJournalTest(t, kind)
					defer j.end()
					t.Repeat(map[string]func(*rapid.T){
						"":              j.check,
						"reconcile":     j.reconcileAtRandom,
						"reconcile too": j.reconcileAtRandom, // more often than the rest
						"change":        j.change,
						"order": func(t *rapid.T) {
							j.before, j.generation = rapid.Bool().Draw(t, "create before destroy"), j.generation+1
						},
						"taint":       func(*rapid.T) { j.taints++ },
						"delete":      func(*rapid.T) { j.deleting = true },
						"crash":       func(*rapid.T) { j.restart() },
						"meddle":      func(*rapid.T) { j.records.touch(j.key()) },
						"lose record": j.loseRecord,
						"destroy":     j.destroy,
						"appear":      func(*rapid.T) { j.cloud.appear() },
						"person":      func(t *rapid.T) { j.person(rapid.Bool().Draw(t, "cleans up")) },
					})
					j.converge(t)
				})
			})
		})
	}
}

// journalTest is one resource, its remote world, and the processes that follow upon each other.
type journalTest struct {
	cloud   *cloud
	records *memory
	process *process
	fatalf  func(format string, args ...any)

	// The custom resource, as its controller presents it.
	uid        int
	generation int64
	name       string
	size       int64
	deleting   bool
	imports    string // spec.import.id: once set, it stays
	known      string // the annotation of the object's id
	confirm    string
	before     bool // createBeforeDestroy
	taints     int

	// unknown is the operation whose outcome the last Observe could not tell; unresolved says that
	// it did not rely on what is known of the object.
	unknown    string
	unresolved bool
}

// process is a life of the controller: when it is dead, it changes nothing any more.
type process struct {
	*memory
	sched *scheduler.Scheduler
	dead  atomic.Bool
	// script is what goes wrong with the next writes; guarded by the memory's lock.
	script []fault
}

func (p *process) plan(script []fault) {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	p.script = script
}

func (p *process) next() fault {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	if len(p.script) == 0 {
		return ""
	}
	next := p.script[0]
	p.script = p.script[1:]
	return next
}

// Faults of the process.
const (
	// dies: the process ends before the call.
	dies fault = "dies"
	// diesAfter: the call is carried out, but the process ends.
	diesAfter fault = "dies after"
)

func (p *process) Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
	if p.dead.Load() {
		return store.Record{}, errUnavailable
	}
	return p.memory.Load(ctx, k, r)
}

func (p *process) Save(ctx context.Context, k store.Key, r *schema.Resource, rec store.Record) (store.Record, error) {
	if p.dead.Load() {
		return rec, errUnavailable
	}
	next := p.next()
	switch next {
	case dies:
		p.dead.Store(true)
		return rec, errUnavailable
	case diesAfter:
		p.dead.Store(true)
		next = unanswered
	}
	p.memory.mu.Lock()
	p.fault = func(string) fault { return next }
	p.memory.mu.Unlock()
	defer func() {
		p.memory.mu.Lock()
		p.fault = nil
		p.memory.mu.Unlock()
	}()
	return p.memory.Save(ctx, k, r, rec)
}

func (p *process) Delete(ctx context.Context, k store.Key, version string) error {
	if p.dead.Load() {
		return errUnavailable
	}
	return p.memory.Delete(ctx, k, version)
}

// fataler is a test of either kind.
type fataler interface{ Fatalf(string, ...any) }

func newJournalTest(t fataler, kind identityKind) *journalTest {
	c := newCloud(kind)
	c.unique = kind.foreseen()
	j := &journalTest{cloud: c, records: newMemory(c.log), name: "a", size: 1, uid: 1, generation: 1, fatalf: t.Fatalf}
	j.start()
	return j
}

func (j *journalTest) start() {
	j.process = &process{memory: j.records}
	j.process.sched = scheduler.New(scheduler.Options{
		Store: j.process, Logger: logr.Discard(), LongOperation: 1000 * time.Hour, MaxBackoff: time.Microsecond, OperationTimeout: time.Second,
		CreationGracePeriod: -1,
	})
}

// end ends the process, as it is.
func (j *journalTest) end() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	j.process.dead.Store(true)
	_ = j.process.sched.Stop(ctx)
}

func (j *journalTest) restart() {
	j.end()
	j.start()
}

func (j *journalTest) key() store.Key {
	return store.Key{Group: "test.landbridge.io", Kind: "Thing", Namespace: "team", Name: "one"}
}

func (j *journalTest) request() scheduler.Request {
	r := scheduler.Request{
		Resource: scheduler.Resource{
			Key:        j.key(),
			UID:        types.UID(fmt.Sprint("uid-", j.uid)),
			Generation: j.generation,
			Type:       j.cloud.kind.resource(),
			Deleted:    j.deleting,
		},
		Access: scheduler.Access{
			ProviderConfiguration: "default",
			Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return j.cloud, func() {}, nil
			},
		},
		Desired: scheduler.Desired{Policies: desired.FullControl()},
		Asked:   scheduler.Asked{ConfirmCreate: j.confirm, Tokens: store.Tokens{Taint: fmt.Sprint(j.taints)}},
	}
	if j.known != "" {
		r.Known = &desired.KnownObject{Target: terraform.ImportTarget{ID: j.known, Identity: cty.NilVal}}
	}
	if j.deleting {
		return r
	}
	r.Config, r.ConfigHash = config(j.name, j.size), fmt.Sprint(j.generation)
	r.Config.CreateBeforeDestroy = j.before
	if j.imports != "" {
		r.Import.Target = &terraform.ImportTarget{ID: j.imports, Identity: cty.NilVal}
	}
	return r
}

func (j *journalTest) stored() (store.Record, bool) {
	rec, err := j.records.Load(context.Background(), j.key(), j.cloud.kind.resource().Schema)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		j.fatalf("what is stored cannot be read: %v", err)
	}
	return rec, err == nil
}

// check is what always holds.
func (j *journalTest) check(t *rapid.T) { j.checkNow(t) }

func (j *journalTest) checkNow(t fataler) {
	j.fatalf = t.Fatalf
	rec, found := j.stored()
	op := rec.Instance.Operation
	aside := deposedIDs(rec.Instance)
	ids := slices.DeleteFunc(j.cloud.ids(), func(id string) bool { return slices.Contains(aside, id) })
	if len(ids) > 1 {
		t.Fatalf("one resource has %d objects that are not deposed: %v", len(ids), j.cloud.objects)
	}
	if len(aside) > 0 && !rec.Instance.Exists() && (op == nil || op.Kind != instance.Create) {
		t.Fatalf("there are deposed objects %v, but no current one", aside)
	}
	for _, id := range ids {
		switch {
		case idOf(rec.Instance) == id:
		case !found && j.known == id: // the record was lost
		case op != nil && op.Kind == instance.Create && !j.cloud.kind.foreseen():
		case op != nil && op.Kind == instance.Create && nameOf(op.PlannedState) == j.cloud.objects[id].name:
		default:
			t.Fatalf("orphan %s of %v: stored is %q, operation %+v", id, j.cloud.objects, idOf(rec.Instance), op)
		}
	}
}

func deposedIDs(in instance.Instance) []string {
	var out []string
	for _, d := range in.Deposed {
		out = append(out, idOf(d.Instance()))
	}
	return out
}

func (j *journalTest) reconcileAtRandom(t *rapid.T) {
	j.cloud.manner = rapid.SampledFrom([]manner{
		inOrder, inOrder, refused, halfway, silentDone, silentUndone, late, halfwayLate,
	}).Draw(t, "manner")
	j.process.plan(
		rapid.SliceOfN(rapid.SampledFrom([]fault{"", "", "", unavailable, unanswered, touched, dies, diesAfter}), 0,
			5).Draw(t, "writes"),
	)
	crash := rapid.SampledFrom([]string{"", "", "", "before", "after"}).Draw(t, "crash of apply")
	kill := func() { j.process.dead.Store(true) }
	j.cloud.before, j.cloud.after = j.checkIntent, nil
	switch crash {
	case "before":
		j.cloud.manner = silentUndone
		j.cloud.before = func() { j.checkIntent(); kill() }
	case "after":
		j.cloud.after = kill
	}
	j.reconcile()
	if j.process.dead.Load() {
		j.restart()
	}
}

// checkIntent runs while the provider is being asked.
func (j *journalTest) checkIntent() {
	if rec, _ := j.stored(); rec.Instance.Operation == nil {
		j.fatalf("a provider was asked without an intent in the store")
	}
}

// reconcile does what the controller does, and waits for the operation to end.
func (j *journalTest) reconcile() {
	ctx := context.Background()
	time.Sleep(time.Microsecond)
	j.unknown, j.unresolved = "", false
	sched, r := j.process.sched, j.request()
	o, err := sched.Observe(ctx, r)
	var se *scheduler.Error
	switch {
	case errors.As(err, &se):
		rec, _ := j.stored()
		if op := rec.Instance.Operation; op != nil && se.Reason == decision.ReasonCreateOutcomeUnknown {
			j.unknown = op.ID
		}
		if se.Reason == decision.ReasonCreateOutcomeUnknown && j.cloud.kind.foreseen() && !j.deleting {
			j.fatalf("the identity is known, and yet: %v", err)
		}
		if se.Reason == decision.ReasonImportFailed && rec.Instance.Operation != nil {
			j.unknown = rec.Instance.Operation.ID
		}
		j.unresolved = se.Reason == decision.ReasonImportFailed && rec.Version == "" && j.imports == ""
		return
	case err != nil:
		j.fatalf("Observe: %v", err)
	}
	if o.Exists() && !j.deleting {
		j.known = idOf(o.Instance)
	}
	switch {
	case j.deleting && o.Exists():
		err = sched.Delete(ctx, r)
	case j.deleting:
		if sched.Forget(ctx, r) == nil {
			// A new resource of the same name follows.
			j.uid, j.deleting, j.imports, j.known, j.confirm = j.uid+1, false, "", "", ""
			j.generation++
		}
		return
	case !o.UpToDate():
		err = sched.Apply(ctx, r)
	}
	if errors.As(err, &se) && se.Reason == decision.ReasonCreateOutcomeUnknown && j.cloud.kind.foreseen() {
		return // it waits for an object of another name
	}
	if err != nil {
		j.fatalf("what was observed cannot be carried out: %v", err)
	}
	synctest.Wait()
	// The outcome is stored in the end, unless the process is dead. The library gives up
	// after a day in time of the bubble, so that no time is to be wasted.
	for tries := 0; !j.process.dead.Load() && sched.Running() != 0; tries++ {
		if tries > 1000 {
			j.fatalf("an operation does not end")
		}
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
	}
}

func (j *journalTest) change(t *rapid.T) {
	j.name = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
	j.size = rapid.Int64Range(1, 3).Draw(t, "size")
	j.generation++
}

// loseRecord is a record that goes while nothing is under way, and whose object is written
// down elsewhere.
func (j *journalTest) loseRecord(t *rapid.T) {
	rec, _ := j.stored()
	if rec.Instance.Operation != nil || idOf(rec.Instance) != j.known || j.imports != "" || len(rec.Instance.Deposed)+len(j.cloud.coming) > 0 {
		t.Skip("it would be lost for good, or waits for a person to say what to import")
	}
	_ = j.records.Delete(context.Background(), j.key(), rec.Version)
}

func (j *journalTest) destroy(*rapid.T) {
	for _, id := range j.cloud.ids() {
		j.cloud.remove(id)
	}
}

// person does what the message of an unknown outcome says: looks for the object, and adopts
// it, or confirms that there is none.
func (j *journalTest) person(cleansUp bool) {
	if j.unresolved && slices.Contains(j.cloud.ids(), j.known) && !j.deleting {
		j.imports = j.known
		return
	}
	if j.unknown == "" || len(j.cloud.coming) > 0 {
		return // there is nothing to say, or it is too early
	}
	rec, _ := j.stored()
	aside := deposedIDs(rec.Instance)
	ids := slices.DeleteFunc(j.cloud.ids(), func(id string) bool { return slices.Contains(aside, id) })
	switch {
	case len(ids) == 0:
		j.confirm = j.unknown
	case j.imports == "" && !j.deleting && !cleansUp:
		j.imports = ids[0]
	default:
		j.cloud.remove(ids[0])
		j.confirm = j.unknown
	}
}

// converge: once nothing goes wrong any more, there is what is wanted.
func (j *journalTest) converge(t *rapid.T) {
	j.cloud.manner, j.cloud.before, j.cloud.after = inOrder, nil, nil
	j.cloud.appear()
	time.Sleep(2 * time.Second) // what no request has shown until now does not exist
	j.restart()                 // a record that was lost is missed when it is read or written next
	uid := j.uid
	if j.cloud.unique {
		j.before = false // an object of the same name cannot be created before the tainted one is destroyed
		j.generation++
	}
	for range 12 {
		if j.deleting || j.uid == uid {
			j.reconcile()
		}
		j.check(t)
		if j.unknown != "" && j.cloud.kind.foreseen() {
			t.Fatal("a person is needed, though the identity is known")
		}
		j.person(false)
	}
	if j.uid != uid {
		if ids := j.cloud.ids(); len(ids) != 0 || len(j.records.records) != 0 {
			t.Fatalf("after deleting: objects %v, %d records", ids, len(j.records.records))
		}
		return
	}
	rec, _ := j.stored()
	ids := j.cloud.ids()
	if rec.Version == "" && j.imports != "" && len(ids) == 0 {
		return // what the person said to import was destroyed since
	}
	if len(ids) != 1 || ids[0] != idOf(rec.Instance) || j.cloud.objects[ids[0]] != (object{j.name, j.size}) || rec.Instance.Operation != nil {
		t.Fatalf("in the end: objects %v, stored %q, operation %+v; want %s of size %d", j.cloud.objects,
			idOf(rec.Instance), rec.Instance.Operation, j.name, j.size)
	}
}
