package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// mover is a cloud that turns objects of another type into things.
type mover struct {
	*cloud
	refuses diagnostic.Diagnostics
	moved   []terraform.MoveSource
}

func (m *mover) MoveResourceState(
	_ context.Context, r terraform.ResourceType, source terraform.MoveSource,
) (instance.Instance, diagnostic.Diagnostics) {
	m.moved = append(m.moved, source)
	if m.refuses.HasErrors() {
		return source.Instance, m.refuses
	}
	state, err := ctyjson.Unmarshal(source.Instance.RawState, r.Schema.ImpliedType())
	if err != nil {
		return source.Instance, diagnostic.Errorf("Invalid state", "%s", err)
	}
	out := source.Instance
	out.State, out.SchemaVersion, out.RawState = state, r.Schema.Version, nil
	out.Identity, out.RawIdentity = m.identity(stateText(out, "id"), stateText(out, "name")), nil
	return out, nil
}

func stateText(in instance.Instance, name string) string { return in.State.GetAttr(name).AsString() }

// moves is an estate with a resource old that has an object, and a resource new that takes it over.
type moves struct {
	*estate
	mover    *mover
	old, new *harness
}

func newMoves(t *testing.T, otherType bool, f func(m *moves)) {
	t.Helper()
	newEstate(t, assigned, func(x *estate) {
		m := &moves{estate: x, mover: &mover{cloud: x.cloud}}
		m.old, m.new = x.resource("old", 1, "a"), x.resource("new", 2, "a")
		acquire := func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return m.mover, func() {}, nil
		}
		m.old.r.Acquire, m.new.r.Acquire = acquire, acquire
		m.new.r.MoveFrom = &scheduler.MoveFrom{
			Key: m.old.r.Key, At: "line 7", Type: "test_thing", ProviderAddress: "example.org/test/test", Same: true,
			Exists: true, UID: m.old.r.UID,
		}
		if otherType {
			s := *m.old.r.Type.Schema
			s.Type = "test_other"
			m.old.r.Type = terraform.ResourceType{Schema: &s}
			m.old.r.Key.Kind = "Other"
			m.new.r.MoveFrom.Key, m.new.r.MoveFrom.Type, m.new.r.MoveFrom.Same = m.old.r.Key, "test_other", false
		}
		m.old.settle()
		f(m)
	})
}

// owners returns the resources that have an object by what is stored.
func (m *moves) owners() (out []string) {
	for _, h := range []*harness{m.old, m.new} {
		if rec, ok := h.record(); ok && rec.Instance.Exists() {
			out = append(out, h.r.Key.Name)
		}
	}
	return out
}

// over checks that the new resource has the object, and that the old one has let it go and makes no
// other.
func (m *moves) over(applies int) {
	m.t.Helper()
	m.new.settle()
	for range 3 {
		if se := m.old.observeRefused(decision.ReasonMoved); !strings.Contains(se.Error(), "belongs to Thing new") {
			m.t.Errorf("the message is %q", se)
		}
		_ = m.old.sched.Apply(m.t.Context(), m.old.r)
		synctest.Wait()
	}
	if owners := fmt.Sprint(m.owners()); owners != "[new]" {
		m.t.Errorf("the owners are %s", owners)
	}
	if ids := m.cloud.ids(); len(ids) != 1 || m.cloud.applies != applies {
		m.t.Errorf("there are objects %v after %d changes", ids, m.cloud.applies)
	}
	if rec := m.new.stored(); rec.Instance.Operation != nil || rec.Handled.MoveOpen {
		m.t.Errorf("the move has not ended: %+v", rec.Handled)
	}
	if m.old.deletes() {
		m.t.Error("deleting the old resource destroys the object")
	}
	m.new.settle()
	if !m.new.deletes() {
		m.t.Error("deleting the new resource destroys nothing")
	}
}

var moveTypes = map[string]bool{"of the same type": false, "of another type": true}

// An object is taken over with its state and private bytes, and nothing is done to it.
func TestTakeOver(t *testing.T) {
	for name, other := range moveTypes {
		t.Run(name, func(t *testing.T) {
			newMoves(t, other, func(m *moves) {
				before := m.old.stored().Instance
				o := m.new.observe()
				if got := m.new.stored().Instance; string(got.Private) != string(before.Private) || !o.Exists() || !o.Imported {
					t.Errorf("the observation is %+v", o)
				}
				if other {
					if s := m.mover.moved[0]; s.Schema.Type != "test_other" ||
						s.ProviderAddress != "example.org/test/test" || s.Instance.SchemaVersion != 1 {
						t.Errorf("the provider was told %+v", s)
					}
				} else if len(m.mover.moved) != 0 {
					t.Error("the provider was asked for a change of the type")
				}
				m.over(1)
			})
		})
	}
}

// Wherever a process ends during a move, exactly one resource owns the object in the end, whichever
// is reconciled first.
func TestTakeOverCrashes(t *testing.T) {
	for name, other := range moveTypes {
		for _, as := range []fault{unavailable, unanswered} {
			for at := 1; at <= 4; at++ {
				for _, first := range []string{"old", "new", "claimed"} {
					t.Run(fmt.Sprintf("%s/%s/%d/%s", name, as, at, first), func(t *testing.T) {
						newMoves(t, other, func(m *moves) {
							n := 0
							m.store.fails(func(call string) fault {
								if call != "save" {
									return ""
								}
								if n++; n >= at {
									if n == at {
										return as
									}
									return unavailable
								}
								return ""
							})
							_, err := m.new.sched.Observe(t.Context(), m.new.r)
							if err == nil {
								t.Fatal("the process did not end")
							}
							m.store.fails(nil)
							m.again(m.old, m.new)
							switch first {
							case "old":
								_, _ = m.old.sched.Observe(t.Context(), m.old.r)
							case "claimed":
								_, _ = m.old.sched.Observe(t.Context(), m.old.r)
								_, _ = m.new.sched.Observe(t.Context(), m.new.r)
								_, _ = m.old.sched.Observe(t.Context(), m.old.r)
							}
							m.over(1)
						})
					})
				}
			}
		}
	}
}

// A resource whose move was not completed is free again when the other one is not there any more.
func TestTakeOverGivenUp(t *testing.T) {
	newMoves(t, true, func(m *moves) {
		n := 0
		m.store.fails(func(call string) fault {
			if call == "save" {
				if n++; n == 2 {
					return unavailable
				}
			}
			return ""
		})
		if _, err := m.new.sched.Observe(t.Context(), m.new.r); err == nil {
			t.Fatal("the process did not end")
		}
		m.store.fails(nil)
		if op := m.old.stored().Instance.Operation; op == nil || op.Kind != instance.Move {
			t.Fatalf("the old resource is not locked: %+v", op)
		}
		m.again(m.old)
		m.old.want("a", 2)
		m.old.settle()
		if ids := m.cloud.ids(); len(ids) != 1 || m.cloud.applies != 2 {
			t.Errorf("there are objects %v after %d changes", ids, m.cloud.applies)
		}
	})
}

// What cannot be moved is told with the line, and nothing is changed.
func TestTakeOverRefused(t *testing.T) {
	refused := diagnostic.Errorf("Unable to Move Resource State", "There is no way.")
	for name, test := range map[string]struct {
		other  bool
		change func(m *moves)
		want   string
	}{
		"by the provider":     {true, func(m *moves) { m.mover.refuses = refused }, "Unable to Move Resource State"},
		"by the executor":     {true, func(m *moves) { m.new.r.Acquire = m.acquire() }, "execution CLI"},
		"the resource itself": {false, func(m *moves) { m.new.r.MoveFrom.Key = m.new.r.Key }, "the resource itself"},
		"while observing":     {false, func(m *moves) { m.new.r.Policies = desired.Policies{} }, "only observes"},
		"with an import":      {false, func(m *moves) { m.new.r.Import.Target = byID("i-1") }, "spec.import"},
		"without an object":   {false, func(m *moves) { m.new.r.MoveFrom.Key.Name = "none" }, "has no object"},
		"an earlier resource": {false, func(m *moves) { m.new.r.MoveFrom.UID = "other" }, "an earlier resource"},
		"during an operation": {false, func(m *moves) {
			m.old.edit(func(in *instance.Instance) { in.Operation = &instance.Operation{ID: "1", Kind: instance.Update} })
		}, "has not ended"},
		"during another move": {false, func(m *moves) { m.old.edit(lock) }, "has not ended"},
		"with deposed objects": {false, func(m *moves) {
			m.old.edit(func(in *instance.Instance) { in.Deposed = []instance.Deposed{in.Depose("00000000")} })
		}, "not destroyed yet"},
		"gone, during an operation": {false, func(m *moves) {
			m.new.r.MoveFrom.Exists = false
			m.old.edit(func(in *instance.Instance) { in.Operation = &instance.Operation{ID: "1", Kind: instance.Update} })
		}, "an operation of it has not ended. Create it again"},
		"gone, during another move": {true, func(m *moves) {
			m.new.r.MoveFrom.Exists = false
			m.old.edit(lock)
		}, "an operation of it has not ended. Create it again"},
		"gone, with deposed objects": {false, func(m *moves) {
			m.new.r.MoveFrom.Exists = false
			m.old.edit(func(in *instance.Instance) { in.Deposed = []instance.Deposed{in.Depose("00000000")} })
		}, "are not destroyed. Create it again"},
		"a name that is invalid": {false, func(m *moves) {
			m.new.r.MoveFrom.Invalid = diagnostic.Errorf("Object not moved", "line 7: Correct it.")
		}, "Correct it"},
	} {
		t.Run(name, func(t *testing.T) {
			newMoves(t, test.other, func(m *moves) {
				test.change(m)
				before := m.old.stored()
				for range 3 {
					if se := m.new.observeRefused(decision.ReasonMoveFailed); !strings.Contains(se.Error(),
						test.want) || !strings.Contains(se.Error(), "line 7") {
						t.Errorf("the message is %q", se)
					}
					_ = m.new.sched.Apply(t.Context(), m.new.r)
					synctest.Wait()
				}
				if after := m.old.stored(); after.Version != before.Version {
					t.Error("something was written")
				}
				if _, ok := m.new.record(); ok || len(m.cloud.ids()) != 1 {
					t.Error("something was made")
				}
			})
		})
	}
}

// The record of a resource that does not exist any more may belong to another shard, which does not
// leave it. It is used all the same, unless an operation has not ended.
func TestTakeOverFromAnotherShard(t *testing.T) {
	for name, c := range map[string]struct {
		exists, operation bool
		reason            scheduler.Reason
		want              string
	}{
		"gone":                    {},
		"gone, with an operation": {operation: true, reason: decision.ReasonMoveFailed, want: "an operation of it has not ended"},
		"it exists":               {exists: true, reason: decision.ReasonStore, want: "another replica works on the resource"},
	} {
		t.Run(name, func(t *testing.T) {
			newMoves(t, false, func(m *moves) {
				if c.operation {
					m.old.edit(func(in *instance.Instance) { in.Operation = &instance.Operation{ID: "1", Kind: instance.Update} })
				}
				m.new.store.elsewhere = map[store.Key]bool{m.old.r.Key: true}
				m.new.r.MoveFrom.Exists = c.exists
				if c.reason != "" {
					if se := m.new.observeRefused(c.reason); !strings.Contains(se.Error(), c.want) {
						t.Errorf("the message is %q", se)
					}
					return
				}
				if o := m.new.observe(); !o.Exists() || !o.Imported {
					t.Errorf("the observation is %+v", o)
				}
			})
		})
	}
}

// The record of the target may belong to another shard, as when the resource was created again with
// another configuration. The source determines the outcome if that record tells it, and no late
// write can change it.
func TestTakeOverByAnotherShard(t *testing.T) {
	for name, c := range map[string]struct {
		// fails is the write that fails.
		fails int
		// later is set if there is another resource of the name, and operation if one of it has not
		// ended.
		later, operation bool
		reason           scheduler.Reason
	}{
		"it has the object":                   {fails: 3, reason: decision.ReasonMoved},
		"it may still get it":                 {fails: 2, reason: decision.ReasonStore},
		"a later resource of the name":        {fails: 2, later: true},
		"a later resource, with an operation": {fails: 2, later: true, operation: true, reason: decision.ReasonStore},
	} {
		t.Run(name, func(t *testing.T) {
			newMoves(t, true, func(m *moves) {
				n := 0
				m.store.fails(func(call string) fault {
					if call == "save" {
						if n++; n == c.fails {
							return unavailable
						}
					}
					return ""
				})
				if _, err := m.new.sched.Observe(t.Context(), m.new.r); err == nil {
					t.Fatal("the process did not end")
				}
				m.store.fails(nil)
				key, before := m.new.r.Key, store.Record{}
				if c.fails == 2 {
					rec := store.Record{Owner: m.new.r.UID}
					if c.later {
						rec.Owner = "later"
					}
					if c.operation {
						rec.Instance.Operation = &instance.Operation{ID: "1", Kind: instance.Create}
					}
					var err error
					if before, err = m.store.Save(t.Context(), key, store.Verbatim, rec); err != nil {
						t.Fatal(err)
					}
				}
				m.store.elsewhere = map[store.Key]bool{key: true}
				m.again(m.old)
				if c.reason != "" {
					m.old.observeRefused(c.reason)
					return
				}
				m.old.want("a", 2)
				m.old.settle()
				if ids := m.cloud.ids(); len(ids) != 1 || m.cloud.applies != 2 {
					t.Errorf("there are objects %v after %d changes", ids, m.cloud.applies)
				}
				before.Owner, before.Instance = m.new.r.UID, m.old.stored().Instance
				if _, err := m.store.Save(t.Context(), key, m.new.r.Type.Schema, before); !errors.Is(err, store.ErrConflict) {
					t.Errorf("the former target gets the object, too: %v", err)
				}
			})
		})
	}
}

// A resource that has taken over an object is not held up by the record of the other one, which
// another shard has, if that has let the object go.
func TestTakeOverLetGoByAnotherShard(t *testing.T) {
	for name, let := range map[string]bool{"it has let go": true, "it has not": false} {
		t.Run(name, func(t *testing.T) {
			newMoves(t, true, func(m *moves) {
				n := 0
				m.store.fails(func(call string) fault {
					if call == "save" {
						if n++; n == 3 {
							return unavailable
						}
					}
					return ""
				})
				if _, err := m.new.sched.Observe(t.Context(), m.new.r); err == nil {
					t.Fatal("the process did not end")
				}
				m.store.fails(nil)
				if !m.new.stored().Handled.MoveOpen {
					t.Fatal("the move is not open")
				}
				if let {
					m.again(m.old)
					m.old.observeRefused(decision.ReasonMoved)
				}
				m.store.elsewhere = map[store.Key]bool{m.old.r.Key: true}
				m.again(m.new)
				if !let {
					m.new.observeRefused(decision.ReasonStore)
					return
				}
				m.new.settle()
				if rec := m.new.stored(); rec.Handled.MoveOpen {
					t.Errorf("the move has not ended: %+v", rec.Handled)
				}
			})
		})
	}
}

// A record of another shard is used if it is that of an earlier resource of the same name.
func TestRecordOfAnotherShard(t *testing.T) {
	for name, earlier := range map[string]bool{"of this resource": false, "of an earlier resource": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.settle()
				h.restart()
				h.store.elsewhere = map[store.Key]bool{h.r.Key: true}
				if !earlier {
					h.observeRefused(decision.ReasonStore)
					return
				}
				h.r.UID = "later"
				if o := h.observe(); !o.Exists() {
					t.Errorf("the observation is %+v", o)
				}
			})
		})
	}
}

// Without the other resource, an object is created, as by Terraform.
func TestTakeOverFromNowhere(t *testing.T) {
	newMoves(t, true, func(m *moves) {
		m.new.r.MoveFrom.Key.Name, m.new.r.MoveFrom.Exists = "none", false
		m.new.settle()
		if ids := m.cloud.ids(); len(ids) != 2 {
			t.Errorf("there are objects %v", ids)
		}
	})
}

// A resource that has an object does not take another one over.
func TestTakeOverOnlyOnce(t *testing.T) {
	newMoves(t, true, func(m *moves) {
		m.new.r.MoveFrom, m.new.r.Config = nil, config("b", 1)
		from := &scheduler.MoveFrom{Key: m.old.r.Key, At: "line 7", Type: "test_other", Exists: true, UID: m.old.r.UID}
		m.new.settle()
		m.new.r.MoveFrom = from
		m.new.settle()
		if owners := fmt.Sprint(m.owners()); owners != "[old new]" {
			t.Errorf("the owners are %s", owners)
		}
	})
}

// acquire returns an executor that moves nothing.
func (m *moves) acquire() scheduler.Acquire {
	return func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
		return m.cloud, func() {}, nil
	}
}

// hangingMover never ends turning an object into a thing.
type hangingMover struct{ *mover }

func (h hangingMover) MoveResourceState(
	ctx context.Context, _ terraform.ResourceType, source terraform.MoveSource,
) (instance.Instance, diagnostic.Diagnostics) {
	<-ctx.Done()
	return source.Instance, diagnostic.Errorf("Cancelled", "%s", ctx.Err())
}

// A provider that hangs while it turns an object into one of another type does not keep the objects
// of other resources from moving.
func TestTakeOverThatHangs(t *testing.T) {
	newMoves(t, true, func(m *moves) {
		m.new.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return hangingMover{m.mover}, func() {}, nil
		}
		ctx, cancel := context.WithCancel(m.t.Context())
		defer cancel()
		go func() { _, _ = m.new.sched.Observe(ctx, m.new.r) }()
		synctest.Wait()

		source, target := m.resource("source", 3, "b"), m.resource("target", 4, "b")
		source.settle()
		target.r.MoveFrom = &scheduler.MoveFrom{
			Key: source.r.Key, At: "line 7", Type: "test_thing", ProviderAddress: "example.org/test/test", Same: true,
			Exists: true, UID: source.r.UID,
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = target.sched.Observe(m.t.Context(), target.r)
		}()
		synctest.Wait()
		select {
		case <-done:
		default:
			m.t.Error("the object of another resource does not move")
		}
		if rec := target.stored(); !rec.Instance.Exists() {
			m.t.Error("it has no object")
		}
		cancel()
		synctest.Wait()
	})
}
