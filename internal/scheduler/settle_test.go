package scheduler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// polls looks at the resource as a controller does: at each poll, and whenever an operation ends.
// It returns what was done, and the last refusal.
func (h *harness) polls(n int) (done []string, refusal error) {
	h.t.Helper()
	h.r.Poll = time.Minute
	h.cloud.log.take()
	for range n {
		time.Sleep(time.Minute)
		for woken := true; woken; {
			if h.observe().UpToDate() {
				refusal = nil
				break
			}
			refusal = h.sched.Apply(h.t.Context(), h.r)
			synctest.Wait()
			woken = false
			for _, e := range h.cloud.log.take() {
				if action, ok := strings.CutPrefix(e, "apply "); ok {
					done, woken = append(done, action), true
				}
			}
		}
	}
	return done, refusal
}

// regulate changes policies of the resource, and nothing that its object is made from.
func (h *harness) regulate() {
	h.r.Generation++
	h.r.ConfigHash += " regulated"
}

// unforeseen replaces an object at each look, because of a value that no state has.
type unforeseen struct {
	*cloud
	state func(planned cty.Value) cty.Value
}

func (u unforeseen) Plan(
	ctx context.Context, r terraform.ResourceType, in instance.Instance, c terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	p, diags := u.cloud.Plan(ctx, r, in, c)
	if in.Exists() {
		p.Action, p.Reason = terraform.DeleteThenCreate, terraform.ReplaceBecauseCannotUpdate
		p.RequiresReplace, p.State = []cty.Path{cty.GetAttrPath("token")}, u.state(p.State)
	}
	return p, diags
}

// Without known values, another configuration replaces an object again, and a change of policies
// does not.
func TestReplacementsBecauseOfUnknownValues(t *testing.T) {
	for name, state := range map[string]func(cty.Value) cty.Value{
		"not known beforehand": func(planned cty.Value) cty.Value { return cty.UnknownVal(planned.Type()) },
		"write-only":           func(planned cty.Value) cty.Value { return planned },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return unforeseen{h.cloud, state}, func() {}, nil
				}
				for i, x := range []struct {
					change func()
					done   []string
				}{
					{func() { h.want("a", 1) }, []string{"Create"}},
					{h.regulate, nil},
					{func() { h.want("a", 2) }, []string{"Delete", "Create"}},
					{h.regulate, nil},
				} {
					x.change()
					done, refusal := h.polls(5)
					if diff := cmp.Diff(x.done, done); diff != "" {
						t.Errorf("change %d:\n%s", i, diff)
					}
					h.refuses(refusal, decision.ReasonNeverSettles)
				}
			})
		})
	}
}

// What an update does not change is updated more and more seldom, and told.
func TestUpdatesThatNeverSettle(t *testing.T) {
	size := func(of func(int64) int64) func(object) object {
		return func(o object) object { return object{o.name, of(o.size)} }
	}
	turns := func(n int64) func(int64) int64 {
		i := int64(0)
		return func(size int64) int64 { i++; return size + 1 + i%n }
	}
	all := map[string]func(*cloud){
		"the answer is written in another way":   func(c *cloud) { c.answers, c.reads = size(turns(1)), size(turns(1)) },
		"a read is written in another way":       func(c *cloud) { c.reads = size(turns(1)) },
		"a read alternates between two values":   func(c *cloud) { c.reads = size(turns(2)) },
		"a read alternates between three values": func(c *cloud) { c.reads = size(turns(3)) },
		"each plan has another change":           func(c *cloud) { c.restless = true },
	}
	// A read right after an update shows what was set, and later ones show other values.
	for n := range int64(3) {
		all[fmt.Sprintf("later reads alternate between %d values", n+1)] = func(c *cloud) {
			var updated time.Time
			turn := turns(n + 1)
			c.answers = func(o object) object { updated = time.Now(); return o }
			c.reads = size(func(size int64) int64 {
				if time.Since(updated) < 5*time.Second {
					return size
				}
				return turn(size)
			})
		}
	}
	for name, misbehave := range all {
		t.Run(name, func(t *testing.T) {
			visibly(t, noIdentity, func(h *harness) {
				h.settle()
				misbehave(h.cloud)
				if h.cloud.reads != nil {
					h.want("a", 7)
				}
				done, refusal := h.polls(64)
				if n := len(done); n < 6 || n > 11 || refusal != nil {
					t.Errorf("in 64 polls: %v, %v", done, refusal)
				}
				got := h.observe().Unsettled
				if got == nil || !got.Never || got.Updates < 3 || got.NextAt.Sub(got.Since) < 10*time.Minute {
					t.Fatalf("unsettled: %+v", got)
				}
				if h.observe().Flap != nil && !strings.HasPrefix(name, "later") { // which may be another hand
					t.Error("it flaps")
				}

				// A restart does not forget it.
				h.restart()
				if done, _ := h.polls(5); len(done) > 1 {
					t.Errorf("after a restart: %v", done)
				}
				if got := h.observe().Unsettled; got == nil || !got.Never {
					t.Errorf("after a restart: %+v", got)
				}

				// Another configuration is applied at once, and what settles is forgotten.
				h.cloud.answers, h.cloud.reads, h.cloud.restless = nil, nil, false
				h.want("a", 20)
				done, refusal = h.polls(3)
				if diff := cmp.Diff([]string{"Update"}, done); diff != "" || refusal != nil ||
					h.observe().Unsettled != nil || h.stored().Instance.Unsettled != nil {
					t.Errorf("another configuration: %v, %+v\n%s", refusal, h.observe().Unsettled, diff)
				}
			})
		})
	}
}

// An object whose successor would be replaced likewise is kept.
func TestReplacementsThatNeverSettle(t *testing.T) {
	lower := func(o object) object { return object{strings.ToLower(o.name), o.size} }
	for name, misbehave := range map[string]func(*cloud){
		"the answer is written in another way": func(c *cloud) { c.answers, c.reads = lower, lower },
		"a read is written in another way":     func(c *cloud) { c.reads = lower },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				misbehave(h.cloud)
				h.want("A", 1)
				done, refusal := h.polls(10)
				if diff := cmp.Diff([]string{"Create"}, done); diff != "" || !slices.Equal(h.cloud.ids(), []string{"i-1"}) {
					t.Errorf("objects %v, done:\n%s", h.cloud.ids(), diff)
				}
				h.refuses(refusal, decision.ReasonNeverSettles)
				if got := h.observe().Unsettled; got == nil || !got.Never {
					t.Errorf("unsettled: %+v", got)
				}

				// A process that does not know what the create has left keeps the object, too.
				h.restart()
				done, refusal = h.polls(5)
				if len(done) > 0 {
					t.Errorf("after a restart: %v", done)
				}
				h.refuses(refusal, decision.ReasonNeverSettles)

				// So does one with a configuration that differs in nothing that replaces the
				// object.
				h.want("A", 2)
				h.restart()
				if done, refusal = h.polls(5); len(done) > 0 {
					t.Errorf("with another configuration: %v", done)
				}
				h.refuses(refusal, decision.ReasonNeverSettles)

				// A retry tries it once more.
				h.r.Asked.Retry = "again"
				done, refusal = h.polls(5)
				if diff := cmp.Diff([]string{"Delete", "Create"}, done); diff != "" {
					t.Errorf("a retry:\n%s", diff)
				}
				h.refuses(refusal, decision.ReasonNeverSettles)
				for range 5 {
					h.restart()
					if done, refusal = h.polls(5); len(done) > 0 {
						t.Errorf("after a retry and a restart: %v", done)
					}
				}
				h.refuses(refusal, decision.ReasonNeverSettles)

				// What the server writes is not replaced.
				h.want("a", 2)
				if done, refusal = h.polls(3); len(done) > 0 || refusal != nil || h.observe().Unsettled != nil {
					t.Errorf("the server's value: %v, %v", done, refusal)
				}
			})
		})
	}
}

// Replacements count however their halves end, and whatever a process remembers.
func TestReplacementsThatAreInterrupted(t *testing.T) {
	lower := func(o object) object { return object{strings.ToLower(o.name), o.size} }
	otherSize := func(o object) object { return object{o.name, o.size + 1} }
	for name, x := range map[string]struct {
		// delete and create are how deletes and every other create end. answers is what the latter
		// answer.
		delete, create manner
		answers        func(object) object
	}{
		"both halves succeed":                {delete: inOrder, create: inOrder},
		"a delete fails, though it is done":  {delete: halfway, create: inOrder},
		"a delete is not answered":           {delete: silentDone, create: inOrder},
		"a create fails":                     {delete: inOrder, create: refused},
		"a create leaves a tainted object":   {delete: inOrder, create: halfway},
		"a create leaves another object":     {delete: inOrder, create: inOrder, answers: otherSize},
		"the object of a create is imported": {delete: inOrder, create: silentDone},
		"a delete is not done":               {delete: refused, create: inOrder},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.cloud.reads = lower
				creates := 0
				h.cloud.asked = func(p terraform.Plan) {
					switch h.cloud.manner, h.cloud.answers = inOrder, nil; {
					case p.Action == terraform.Delete:
						h.cloud.manner = x.delete
					default:
						if creates++; creates%2 == 0 {
							h.cloud.manner, h.cloud.answers = x.create, x.answers
						}
					}
				}
				h.want("A", 1)
				h.r.CreateAttempts = 100
				replaced, refusal := 0, error(nil)
				for i := range 40 {
					time.Sleep(2 * time.Hour)
					o, err := h.sched.Observe(h.t.Context(), h.r)
					h.r.Import.Target = nil
					if ids := h.cloud.ids(); err != nil && len(ids) == 1 {
						h.r.Import.Target = byID(ids[0])
					}
					if refusal = err; err == nil && !o.UpToDate() {
						refusal = h.sched.Apply(h.t.Context(), h.r)
						synctest.Wait()
					}
					switch {
					case err == nil && o.Inconsistent:
						h.want("A", int64(i))
					case refusal == nil && o.Plan.Action.IsReplace() && o.Plan.Reason != terraform.ReplaceBecauseTainted:
						replaced++
					}
					h.restart() // it does not know what the last apply has left
				}
				if x.delete == refused {
					if replaced < 20 {
						t.Errorf("tried %d times: %v", replaced, refusal)
					}
					return
				}
				if replaced != 2 {
					t.Errorf("replaced %d times: %v", replaced, h.log.take())
				}
				h.refuses(refusal, decision.ReasonNeverSettles)
			})
		})
	}
}

// A replacement that creates first has not replaced anything as long as its creates fail, however
// often they do: the object takes its place again.
func TestReplacementsThatCreateFirstAndFail(t *testing.T) {
	for name, create := range map[string]manner{
		"a create leaves a tainted object": halfway,
		"a create leaves nothing":          refused,
		"a create is interrupted":          silentDone,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				h.settle()
				h.wantAfter("b")
				h.r.CreateAttempts = 100
				creates := 0
				h.cloud.asked = func(p terraform.Plan) {
					h.cloud.manner = inOrder
					if p.Action != terraform.Delete {
						if creates++; creates <= 4 {
							h.cloud.manner = create
						}
					}
				}
				for range 20 {
					time.Sleep(2 * time.Hour)
					if o := h.observe(); !o.UpToDate() {
						h.apply()
						synctest.Wait()
					}
					h.restart() // it does not know what the last apply has left
				}
				h.holds("b")
				if creates != 5 || len(h.cloud.ids()) != 1 {
					t.Errorf("%d creates, objects are %v", creates, h.cloud.ids())
				}
			})
		})
	}
}

// Replacements that create first count, too, however the replaced objects are destroyed, and
// whatever a process remembers.
func TestReplacementsThatCreateFirstAndNeverSettle(t *testing.T) {
	for name, del := range map[string]manner{
		"a delete succeeds":                 inOrder,
		"a delete fails, though it is done": halfway,
		"a delete is not answered":          silentDone,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.cloud.reads = func(o object) object { return object{strings.ToLower(o.name), o.size} }
				h.cloud.asked = func(p terraform.Plan) {
					if h.cloud.manner = inOrder; p.Action == terraform.Delete {
						h.cloud.manner = del
					}
				}
				h.wantAfter("A")
				var refusal error
				for range 20 {
					time.Sleep(2 * time.Hour)
					if o := h.observe(); !o.UpToDate() {
						refusal = h.sched.Apply(h.t.Context(), h.r)
						synctest.Wait()
					}
					h.restart() // it does not know what the last apply has left
				}
				h.refuses(refusal, decision.ReasonNeverSettles)
				if diff := cmp.Diff([]string{"i-3"}, h.cloud.ids()); diff != "" {
					t.Errorf("the object is not the second replacement:\n%s", diff)
				}
			})
		})
	}
}

// What is changed outside is replaced each time, also the same way.
func TestReplacementsThatSettle(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.polls(2)
		for i := range 5 {
			h.cloud.change(h.cloud.ids()[0], object{"other", 1})
			done, refusal := h.polls(4)
			if diff := cmp.Diff([]string{"Delete", "Create"}, done); diff != "" || refusal != nil {
				t.Errorf("time %d: %v\n%s", i, refusal, diff)
			}
		}
		if h.stored().Instance.Unsettled != nil {
			t.Errorf("counted: %+v", h.stored().Instance.Unsettled)
		}
	})
}

// An object that its create has not left as planned, without an error, is kept: another one would
// be the same.
func TestInconsistentCreate(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.r.CreateAttempts = 3
		h.cloud.answers = func(o object) object { return object{o.name, o.size + 1} }
		h.r.Tell = func(e scheduler.Event) {
			if e.Kind == scheduler.Tainted && (e.Instance.Unsettled == nil || !e.Instance.Unsettled.Inconsistent) {
				t.Error("the event does not say that the object is kept")
			}
		}
		for i := range 4 {
			done, refusal := h.polls(20)
			if i > 1 { // an edit of the policies is no other configuration
				h.regulate()
			}
			if h.restart(); len(done) > 1 || !slices.Equal(h.cloud.ids(), []string{"i-1"}) {
				t.Errorf("done: %v, objects: %v", done, h.cloud.ids())
			}
			h.refuses(refusal, decision.ReasonInconsistentResult)
			if !h.observe().Inconsistent {
				t.Error("it is not told")
			}
		}

		// An edit that changes no argument, as of the provider configuration, would make the same
		// object again.
		h.r.Generation, h.r.ConfigHash = h.r.Generation+1, "another"
		done, refusal := h.polls(20)
		if len(done) > 0 {
			t.Errorf("an edit of no argument: %v", done)
		}
		h.refuses(refusal, decision.ReasonInconsistentResult)

		// A retry, or another configuration, replaces it.
		h.r.Asked.Retry = "again"
		done, refusal = h.polls(20)
		if diff := cmp.Diff([]string{"Delete", "Create"}, done); diff != "" {
			t.Errorf("a retry:\n%s", diff)
		}
		h.refuses(refusal, decision.ReasonInconsistentResult)
		h.cloud.answers = nil
		h.want("a", 5)
		if done, refusal = h.polls(5); !slices.Equal(done, []string{"Delete", "Create"}) || refusal != nil ||
			h.stored().Instance.Unsettled != nil {
			t.Errorf("another configuration: %v, %v", done, refusal)
		}
	})
}

// An object that reads show now as declared and now otherwise, though nothing changes it, never
// settles.
func TestReadsThatAlternate(t *testing.T) {
	for name, shown := range map[string][]int64{
		"every other read":                        {0, 1},
		"every third read":                        {0, 0, 1},
		"every third read shows it as declared":   {0, 1, 2},
		"every fourth read, in another way twice": {0, 1, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				reads := 0
				h.cloud.reads = func(o object) object {
					reads++
					return object{o.name, o.size + shown[reads%len(shown)]}
				}
				done, refusal := h.polls(64)
				if len(done) > 16 || refusal != nil {
					t.Errorf("in 64 polls: %v, %v", done, refusal)
				}
				got := h.observe().Unsettled
				if got == nil || !got.Never || !got.Alternates || got.Updates < 3 || got.Plan == nil || got.Plan.Action != terraform.Update {
					t.Fatalf("unsettled: %+v", got)
				}

				// A restart does not forget it, and neither does a look that finds nothing to
				// change.
				h.restart()
				if done, _ := h.polls(10); len(done) > 0 {
					t.Errorf("after a restart: %v", done)
				}
				for range 4 {
					if got := h.observe().Unsettled; got == nil || !got.Never {
						t.Errorf("after a restart: %+v", got)
					}
				}

				// It is forgotten when it has not happened for long.
				h.cloud.reads = nil
				h.polls(40)
				if got := h.observe().Unsettled; got != nil || h.stored().Instance.Unsettled != nil {
					t.Errorf("reads show it as declared again: %+v", got)
				}
			})
		})
	}
}

// What another hand changes at every other look is changed back each time. It flaps, and it is not
// said that it never settles.
func TestDriftAtEveryOtherLook(t *testing.T) {
	for name, size := range map[string]func(i int64) int64{
		"to the same value":    func(int64) int64 { return 7 },
		"to two values":        func(i int64) int64 { return 7 + i%2 },
		"to another each time": func(i int64) int64 { return 7 + i },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				for i := range int64(20) {
					h.cloud.change("i-1", object{"a", size(i)})
					done, refusal := h.polls(2)
					if diff := cmp.Diff([]string{"Update"}, done); diff != "" || refusal != nil {
						t.Errorf("time %d: %v\n%s", i, refusal, diff)
					}
					if got := h.stored().Instance.Unsettled; got != nil {
						t.Fatalf("time %d: it is said not to settle: %+v", i, got)
					}
				}
				o := h.observe()
				if flaps := o.Flap != nil; o.Unsettled != nil || flaps != (name == "to the same value") {
					t.Errorf("flaps: %t", flaps)
				}
			})
		})
	}
}
