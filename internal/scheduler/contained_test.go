package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// moduleCloud is a module: a plan of it imports and creates objects, which it consists of as soon
// as it exists.
type moduleCloud struct {
	*cloud
	creates, imports, begun []terraform.Object
	// contained are the changes of objects that plans of an existing module have.
	contained []terraform.Contained
	// updated is how often an object was updated, by address, since it was cleared.
	updated map[string]int
	// finds is what looks for objects show, and refused what must not be destroyed.
	finds   terraform.Found
	refused error
	// changes returns them instead, if it is not nil. applied is called after each apply, which
	// fails with fails.
	changes func() []terraform.Contained
	// shows returns what is to be changed after a read, by the number of reads, if it is not nil.
	shows   func(reads int) []terraform.Contained
	reads   int
	applied func()
	fails   diagnostic.Diagnostics
	// made are the objects that an apply has changed though it fails, and left is what it leaves.
	made []string
	// kept are the objects that the last apply was to leave as they are.
	kept []string
	left map[string]map[string]string
	// outdated is for how long reads show the objects as they were before an apply.
	outdated  time.Duration
	appliedAt time.Time
}

var (
	_ terraform.Journaled = (*moduleCloud)(nil)
	_ terraform.Finder    = (*moduleCloud)(nil)
)

func (m *moduleCloud) Plan(
	ctx context.Context, r terraform.ResourceType, in instance.Instance, c terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	p, diags := m.cloud.Plan(ctx, r, in, c)
	if !in.Exists() {
		p.Creates, p.Imports = m.creates, m.imports
		for _, c := range m.contained {
			p.Contained = append(p.Contained, terraform.Contained{Address: c.Address, Action: terraform.Create, Planned: c.Planned})
		}
	} else if p.Action != terraform.NoOp {
		p.Contained = m.contained
		if m.changes != nil {
			p.Contained = m.changes()
		}
		if m.shows != nil {
			if p.Contained = m.shows(m.reads); len(p.Contained) == 0 {
				p.Action, p.State = terraform.NoOp, in.State
			}
		}
	}
	p.Contained = slices.DeleteFunc(slices.Clone(p.Contained), func(of terraform.Contained) bool {
		return slices.Contains(c.Keeps, of.Address)
	})
	if len(c.Keeps) > 0 && len(p.Contained) == 0 {
		p.Action, p.State = terraform.NoOp, in.State
	}
	p.Resource, p.Prior = r, in
	if in.Exists() && time.Since(m.appliedAt) < m.outdated {
		p.Action, p.State, p.Contained, p.Outdated = terraform.NoOp, in.State, nil, true
	}
	return p, diags
}

func (m *moduleCloud) Refresh(
	ctx context.Context, r terraform.ResourceType, in instance.Instance,
) (terraform.Refreshed, diagnostic.Diagnostics) {
	m.reads++
	out, diags := m.cloud.Refresh(ctx, r, in)
	out.Unchanged = out.Unchanged && m.shows == nil && (m.outdated == 0 || time.Since(m.appliedAt) < m.outdated)
	return out, diags
}

func (m *moduleCloud) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	if p.Refuses != nil {
		held, _ := m.consists(p.Prior)
		for _, o := range held {
			m.refused = errors.Join(m.refused, p.Refuses(ctx, o))
		}
	}
	m.kept = p.Keeps
	for _, c := range p.Contained {
		if m.updated != nil && c.Action == terraform.Update {
			m.updated[c.Address]++
		}
	}
	out, diags := m.cloud.Apply(ctx, p)
	m.appliedAt = time.Now()
	if m.applied != nil {
		m.applied()
	}
	return out, append(diags, m.fails...)
}

func (m *moduleCloud) ApplyJournaled(
	ctx context.Context, p terraform.Plan, _ func([]byte) error,
) (instance.Instance, diagnostic.Diagnostics) {
	return m.Apply(ctx, p)
}

func (m *moduleCloud) Recover(
	context.Context, terraform.ResourceType, instance.Instance, *instance.Operation, bool, time.Time,
) (instance.Instance, diagnostic.Diagnostics) {
	return instance.Instance{}, diagnostic.Errorf("Not recovered", "It has no journal.")
}

func (m *moduleCloud) Changed([]byte) []string {
	return slices.DeleteFunc(slices.Clone(m.made), func(address string) bool { return slices.Contains(m.kept, address) })
}

func (m *moduleCloud) Left(instance.Instance) map[string]map[string]string { return m.left }

func (m *moduleCloud) Find(context.Context, terraform.Object) terraform.Found { return m.finds }

func (m *moduleCloud) consists(in instance.Instance) (held, begun []terraform.Object) {
	if in.Exists() {
		held = append(append(held, m.creates...), m.imports...)
	}
	return held, m.begun
}

// thingObject is the object with an id as modules have it.
func thingObject(kind identityKind, id string) []terraform.Object {
	if kind == noIdentity {
		return []terraform.Object{{Configuration: "test", Type: "test_thing", ID: id}}
	}
	return []terraform.Object{{Configuration: "test", Type: "test_thing", Identity: fmt.Sprintf(`{"id":%q}`, id)}}
}

// module is a resource of the kind of a module with a cloud of its own.
func (x *estate) module(name string, age int, m *moduleCloud) *harness {
	h := x.resource(name, age, name)
	s := noIdentity.resource().Schema
	h.r.Type = terraform.ResourceType{Schema: &schema.Resource{Type: "test_module", Version: s.Version, Block: s.Block}}
	h.r.Key.Kind = "Module"
	h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) { return m, func() {}, nil }
	h.r.Consists = m.consists
	h.r.Accesses = map[string]ownership.Access{"test": {Configuration: h.r.ProviderConfiguration, Account: h.r.Account}}
	return h
}

// The objects that a module consists of have one owner, as those of other resources.
func TestContainedObjects(t *testing.T) {
	for _, kind := range []identityKind{assigned, noIdentity} {
		own := func() *moduleCloud { return &moduleCloud{cloud: newCloud(noIdentity)} }
		for name, test := range map[string]func(t *testing.T, x *estate){
			"an import of a resource's": func(t *testing.T, x *estate) {
				a := x.resource("a", 1, "x")
				a.settle()
				mine := own()
				mine.imports = thingObject(kind, "i-1")
				older := x.module("b", 0, mine).abroad()
				older.refused(mine)
				x.again(a, older)
				older.refused(mine)
				x.gone[a.r.UID] = true
				x.sched.Gone(a.r.Key)
				older.settle()
			},
			"an import of a module's": func(t *testing.T, x *estate) {
				theirs, mine := own(), own()
				theirs.imports, mine.imports = thingObject(kind, "i-1"), thingObject(kind, "i-1")
				a, b := x.module("a", 1, theirs), x.module("b", 0, mine).abroad()
				a.settle()
				b.refused(mine)
				x.again(b, a)
				b.refused(mine)
				a.settle()
			},
			"a resource's import of a module's": func(t *testing.T, x *estate) {
				x.cloud.add(object{name: "x", size: 1})
				theirs := own()
				theirs.creates = thingObject(kind, "i-1")
				a, b := x.module("a", 1, theirs), x.resource("b", 0, "x").abroad()
				a.settle()
				x.again(b, a)
				b.r.Import.Target, b.r.Generation = byID("i-1"), 2
				b.observeRefused(decision.ReasonIdentityConflict)
				if _, ok := b.record(); ok {
					t.Error("something is stored of it")
				}
			},
			"an observation of a module's": func(t *testing.T, x *estate) {
				x.cloud.add(object{name: "x", size: 1})
				theirs := own()
				theirs.creates = thingObject(kind, "i-1")
				x.module("a", 1, theirs).settle()
				x.resource("b", 0, "x").observed("i-1").abroad().withholds()
			},
			"another account": func(t *testing.T, x *estate) {
				x.resource("a", 0, "x").settle()
				mine := own()
				mine.imports = thingObject(kind, "i-1")
				b := x.module("b", 1, mine)
				b.r.Accesses = map[string]ownership.Access{"test": {Configuration: "other"}}
				b.settle()
			},
			"an account by its content": func(t *testing.T, x *estate) {
				a := x.resource("a", 1, "x")
				a.r.Account.Content = "same"
				a.settle()
				mine := own()
				mine.imports = thingObject(kind, "i-1")
				b := x.module("b", 0, mine)
				b.r.Accesses = map[string]ownership.Access{"test": {Configuration: "other", Account: a.r.Account}}
				b.refused(mine)
			},
			"settings of provider blocks": func(t *testing.T, x *estate) {
				a, b, c := own(), own(), own()
				for m, settings := range map[*moduleCloud]string{a: "east", b: "east", c: "west"} {
					m.imports = thingObject(kind, "i-1")
					m.imports[0].Settings = settings
				}
				x.module("a", 1, a).settle()
				x.module("b", 0, b).abroad().refused(b)
				x.module("c", 0, c).settle()
				x.resource("d", 0, "x").settle()
			},
			"before all is claimed": func(t *testing.T, x *estate) {
				mine := own()
				mine.imports = thingObject(kind, "i-1")
				b := x.module("b", 1, mine)
				b.r.AllClaimed = func() bool { return false }
				b.observeRefused(decision.ReasonStore)
				b.r.AllClaimed = nil
				b.settle()
			},
		} {
			t.Run(fmt.Sprintf("%s, %s", name, kind), func(t *testing.T) {
				newEstate(t, kind, func(x *estate) { test(t, x) })
			})
		}
	}
}

// refused reports an error unless a module that would take another's object is refused, and does
// nothing.
func (h *harness) refused(m *moduleCloud) {
	h.t.Helper()
	h.observeRefused(decision.ReasonIdentityConflict)
	if err := h.sched.Apply(h.t.Context(), h.r); err == nil || m.applies > 0 {
		h.t.Errorf("it is carried out: %v, %d", err, m.applies)
	}
}

// A module that was interrupted while it created an object may have it.
func TestBegunContainedObjects(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		m := &moduleCloud{cloud: newCloud(noIdentity)}
		m.begun = []terraform.Object{{Configuration: "test", Type: "test_thing", Identity: `{"path":"/things/x"}`}}
		a := x.module("a", 1, m)
		a.settle()
		x.resource("b", 0, "x").observeRefused(decision.ReasonIdentityConflict)
	})
}

// A module that is being deleted is not done with if one of its objects is another resource's.
func TestDeletionOfModuleWithObjectOfAnother(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		id := x.cloud.add(object{name: "x", size: 1})
		a, m := x.resource("a", 0, "x"), &moduleCloud{cloud: newCloud(noIdentity)}
		b := x.module("b", 1, m)
		a.stores(x.cloud.instance(id))
		a.settle()
		b.settle()
		m.creates = []terraform.Object{{Configuration: "test", Type: "test_thing", Identity: `{"path":"/things/x"}`}}
		b.deleting()
		se := b.observeRefused(decision.ReasonIdentityConflict)
		if !strings.Contains(se.Error(), "Thing team/a") ||
			!strings.Contains(se.Error(), "remove Delete from spec.managementPolicies of this one") {
			t.Errorf("the message is %s", se)
		}
		x.gone[a.r.UID] = true
		if !b.observe().Exists() {
			t.Error("without the resource, it does not exist")
		}
	})
}
