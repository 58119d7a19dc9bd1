package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// TestEstate has several resources that are about the same few objects come, change, import, go,
// and be worked on in any order, with restarts in between and a cloud that lets everything
// happen. No object is ever made twice, a resource never writes to what an older one has, and
// in the end each has its object or says whose it is.
func TestEstate(t *testing.T) {
	for _, kind := range []identityKind{assigned, plannedIdentity, derivable, mapped} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) {
					m := newManor(t, kind)
					defer m.end()
					t.Repeat(map[string]func(*rapid.T){
						"":              m.check,
						"reconcile":     func(t *rapid.T) { m.reconcile(m.draw(t)) },
						"reconcile too": func(t *rapid.T) { m.reconcile(m.draw(t)) },
						"new":           m.create,
						"change": func(t *rapid.T) {
							r := m.draw(t)
							r.name, r.generation = rapid.SampledFrom([]string{"x", "y"}).Draw(t, "name"), r.generation+1
						},
						"grow":     func(t *rapid.T) { r := m.draw(t); r.size, r.generation = r.size+1, r.generation+1 },
						"import":   m.imports,
						"delete":   func(t *rapid.T) { m.draw(t).deleting = true },
						"leave":    func(t *rapid.T) { m.leave(m.draw(t)) },
						"restart":  func(*rapid.T) { m.restart() },
						"refused":  func(t *rapid.T) { m.reconcileAs(m.draw(t), refused) },
						"halfway":  func(t *rapid.T) { m.reconcileAs(m.draw(t), halfway) },
						"vanishes": func(t *rapid.T) { m.vanish(t) },
					})
					m.converge(t)
				})
			})
		})
	}
}

// tenant is a custom resource.
type tenant struct {
	uid        int
	name       string
	size       int64
	generation int64
	deleting   bool
	imports    string
	known      string
	worked     bool // it has a finalizer, and may have something stored
}

func (r *tenant) key() store.Key {
	return store.Key{Group: "test", Kind: "Thing", Namespace: "team", Name: fmt.Sprint(r.uid)}
}

// manor is a cloud, its tenants, and the process that looks after them.
type manor struct {
	kind    identityKind
	cloud   *cloud
	records *memory
	sched   *scheduler.Scheduler
	tenants []*tenant
	next    int
	handles *ownership.Handles
	fatalf  func(string, ...any)
	// trespass is a write that must not be; guarded by the cloud's lock.
	trespass string
}

func newManor(t *rapid.T, kind identityKind) *manor {
	c := newCloud(kind)
	m := &manor{kind: kind, cloud: c, records: newMemory(c.log), fatalf: t.Fatalf}
	m.restart()
	for range 3 {
		m.create(t)
	}
	return m
}

func (m *manor) draw(t *rapid.T) *tenant {
	if len(m.tenants) == 0 {
		t.Skip("there are none")
	}
	return rapid.SampledFrom(m.tenants).Draw(t, "tenant")
}

func (m *manor) create(t *rapid.T) {
	if len(m.tenants) > 4 {
		t.Skip("there are enough")
	}
	m.next++
	m.tenants = append(m.tenants, &tenant{uid: m.next, generation: 1, size: 1, name: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "name")})
}

// imports has a resource ask for an object that is there.
func (m *manor) imports(t *rapid.T) {
	r, ids := m.draw(t), m.cloud.ids()
	if r.imports != "" || r.worked || len(ids) == 0 {
		t.Skip("it has one, or there is none")
	}
	r.imports, r.generation = rapid.SampledFrom(ids).Draw(t, "object"), r.generation+1
	r.name = m.cloud.objects[r.imports].name
}

func (m *manor) vanish(t *rapid.T) {
	if ids := m.cloud.ids(); len(ids) > 0 {
		m.cloud.remove(rapid.SampledFrom(ids).Draw(t, "object"))
	}
}

// leave has a resource go without its object.
func (m *manor) leave(r *tenant) {
	if m.sched.Forget(context.Background(), m.request(r)) == nil {
		m.gone(r)
	}
}

func (m *manor) gone(r *tenant) {
	m.tenants = slices.DeleteFunc(m.tenants, func(other *tenant) bool { return other == r })
}

func (m *manor) end() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = m.sched.Stop(ctx)
}

// restart is a process that claims what is stored before it works on anything.
func (m *manor) restart() {
	if m.sched != nil {
		m.end()
	}
	if m.kind == mapped {
		m.handles = mappedHandles("Thing")
	}
	m.sched = scheduler.New(scheduler.Options{
		Store: m.records, Logger: logr.Discard(), LongOperation: 1000 * time.Hour, MaxBackoff: time.Second,
		Exists: func(_ context.Context, _ store.Key, uid types.UID) (bool, error) {
			return slices.ContainsFunc(m.tenants, func(r *tenant) bool { return fmt.Sprint(r.uid) == string(uid) }), nil
		},
	})
	for _, r := range m.tenants {
		if r.worked {
			if err := m.sched.Claim(context.Background(), m.request(r)); err != nil {
				m.fatalf("Claim: %v", err)
			}
		}
	}
}

// watched is the provider as one resource uses it.
type watched struct {
	*cloud
	m *manor
	r *tenant
}

// Apply checks that the resource may write.
func (w watched) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	for _, other := range w.m.tenants {
		if other.uid >= w.r.uid || !p.Prior.Exists() {
			continue
		}
		if rec, ok := w.m.record(other); ok && idOf(rec) == idOf(p.Prior) {
			w.cloud.mu.Lock()
			w.m.trespass = fmt.Sprintf("%d carries out %s of %s, which %d has", w.r.uid, p.Action, idOf(p.Prior), other.uid)
			w.cloud.mu.Unlock()
		}
	}
	return w.cloud.Apply(ctx, p)
}

func (m *manor) record(r *tenant) (instance.Instance, bool) {
	rec, err := m.records.Load(context.Background(), r.key(), m.kind.resource().Schema)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		m.fatalf("what is stored cannot be read: %v", err)
	}
	return rec.Instance, err == nil
}

func (m *manor) request(r *tenant) scheduler.Request {
	out := scheduler.Request{
		Resource: scheduler.Resource{
			Key:        r.key(),
			UID:        types.UID(fmt.Sprint(r.uid)),
			Created:    time.Unix(int64(r.uid), 0),
			Generation: r.generation,
			Type:       m.kind.resource(),
			New:        !r.worked,
			Deleted:    r.deleting,
			Handles:    m.handles,
		},
		Access: scheduler.Access{
			ProviderConfiguration: "default",
			Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return watched{m.cloud, m, r}, func() {}, nil
			},
		},
		Desired: scheduler.Desired{Policies: desired.FullControl()},
	}
	if r.known != "" {
		out.Known = known(r.known)
	}
	if r.imports != "" {
		out.Import = desired.Import{Target: byID(r.imports)}
	}
	if !r.deleting {
		out.Config, out.ConfigHash = config(r.name, r.size), fmt.Sprint(r.generation)
	}
	return out
}

// reconcile does what the controller does. It gives the reason why that does not work.
func (m *manor) reconcile(r *tenant) scheduler.Reason {
	time.Sleep(time.Minute) // whatever failed may be tried again
	err := m.work(r)
	if err == nil && !r.deleting {
		err = m.work(r) // which tells how what it began has ended
	}
	var se *scheduler.Error
	if errors.As(err, &se) {
		return se.Reason
	}
	return ""
}

func (m *manor) work(r *tenant) error {
	ctx, request := context.Background(), m.request(r)
	o, err := m.sched.Observe(ctx, request)
	switch {
	case err != nil:
	case r.deleting && !o.Exists():
		if m.sched.Forget(ctx, request) == nil {
			m.gone(r)
		}
	case r.deleting:
		err = m.sched.Delete(ctx, request)
	case !o.UpToDate():
		r.worked = true
		err = m.sched.Apply(ctx, request)
	default:
		r.worked, r.known = true, idOf(o.Instance)
	}
	synctest.Wait()
	return err
}

func (m *manor) reconcileAs(r *tenant, as manner) {
	m.cloud.manner = as
	m.reconcile(r)
	m.cloud.manner = inOrder
}

func (m *manor) check(t *rapid.T) {
	m.fatalf = t.Fatalf
	if m.trespass != "" {
		t.Fatal(m.trespass)
	}
	if !m.kind.foreseen() {
		return
	}
	count := map[string]int{}
	for _, id := range m.cloud.ids() {
		if name := m.cloud.objects[id].name; count[name] > 0 {
			t.Fatalf("%s was made twice: %v", name, m.cloud.objects)
		}
		count[m.cloud.objects[id].name]++
	}
}

func (m *manor) converge(t *rapid.T) {
	m.restart()
	// An object that was not found may appear for as long as a create may take, which is an hour.
	for until := time.Now().Add(3 * time.Hour); len(m.tenants) > 0 && time.Now().Before(until); {
		for _, r := range slices.Clone(m.tenants) {
			m.reconcile(r)
			m.check(t)
		}
	}
	has := map[string]int{}
	for _, r := range m.tenants {
		in, _ := m.record(r)
		switch reason := m.reconcile(r); reason {
		case "":
			if r.deleting || !in.Exists() || nameOf(in.State) != r.name || sizeOf(in.State) != r.size || has[idOf(in)] != 0 {
				t.Fatalf("%+v has %q, which is %v; taken are %v", r, idOf(in), m.cloud.objects[idOf(in)], has)
			}
			has[idOf(in)] = r.uid
		case decision.ReasonIdentityConflict, decision.ReasonAlreadyExists, decision.ReasonImportFailed:
		default:
			t.Fatalf("%+v: %s", r, reason)
		}
	}
}
