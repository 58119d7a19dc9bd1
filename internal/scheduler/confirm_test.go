package scheduler_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/survey"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

var _ terraform.StateLister = (*cloud)(nil)

// ListStates implements terraform.StateLister.
func (c *cloud) ListStates(
	_ context.Context, _ terraform.ResourceType, arguments map[string]cty.Value, limit int,
	each func(identity, state cty.Value),
) (bool, diagnostic.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.call("list states"); d.HasErrors() {
		return false, d
	}
	n := 0
	for _, id := range slices.Sorted(maps.Keys(c.objects)) {
		if name, ok := arguments["name"]; ok && name.AsString() != c.objects[id].name {
			continue
		}
		in := c.instance(id)
		values := in.State.AsValueMap()
		for name := range c.untold {
			values[name] = cty.NullVal(values[name].Type())
		}
		if n++; n > limit {
			return true, nil
		}
		each(in.Identity, cty.ObjectVal(values))
	}
	return n >= limit, nil
}

// byList has the object of a harness looked at by listing, every minute.
func (h *harness) byList(readEvery int) {
	h.r.ListRefresh = &scheduler.ListRefresh{
		Arguments: func(cty.Value) (map[string]cty.Value, string) { return nil, "" },
		ReadEvery: readEvery, Interval: time.Minute,
	}
}

// look observes after a time, and returns what was called.
func (h *harness) look(after time.Duration) []string {
	h.t.Helper()
	time.Sleep(after)
	h.log.take()
	h.observe()
	return slices.DeleteFunc(h.log.take(), func(s string) bool { return s == "wake" })
}

func TestShows(t *testing.T) {
	t.Parallel()
	null := cty.NullVal(cty.String)
	for name, test := range map[string]struct {
		prepare func(*cloud)
		id      string
		state   cty.Value
		want    bool
	}{
		"equal":                   {id: "i-1", state: thing(str("i-1"), "a", 1), want: true},
		"another value":           {id: "i-1", state: thing(str("i-1"), "a", 2)},
		"another object":          {id: "i-2", state: thing(str("i-2"), "b", 2), want: true},
		"not listed":              {id: "i-9", state: thing(str("i-9"), "a", 1)},
		"not told":                {prepare: tellsNo("size"), id: "i-1", state: thing(str("i-1"), "a", 7), want: true},
		"not told, another value": {prepare: tellsNo("size"), id: "i-1", state: thing(str("i-1"), "x", 1)},
		"nothing told": {
			prepare: tellsNo("id", "name", "size", "token"), id: "i-1", state: thing(str("i-1"), "x", 7), want: true,
		},
		"told of no object":                  {id: "i-1", state: withToken(thing(str("i-1"), "a", 1), str("secret")), want: true},
		"told of another object, null here":  {prepare: tokened("i-2"), id: "i-1", state: withToken(thing(str("i-1"), "a", 1), str("secret"))},
		"told of another object, null there": {prepare: tokened("i-2"), id: "i-1", state: withToken(thing(str("i-1"), "a", 1), null), want: true},
		"told, null in what is stored":       {prepare: tokened("i-1"), id: "i-1", state: thing(str("i-1"), "a", 1)},
		"told, equal": {
			prepare: tokened("i-1"), id: "i-1", state: withToken(thing(str("i-1"), "a", 1), str("of i-1")), want: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(assigned)
			c.add(object{"a", 1})
			c.add(object{"b", 2})
			if test.prepare != nil {
				test.prepare(c)
			}
			if got := shows(c, assigned.resource(), c.identity(test.id, ""), test.state); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
	t.Run("two of the same identity", func(t *testing.T) {
		c := newCloud(derivable)
		c.add(object{"a", 1})
		c.add(object{"a", 1})
		if shows(c, derivable.resource(), c.identity("", "a"), thing(str("i-1"), "a", 1)) {
			t.Error("one of two is shown")
		}
	})
}

// shows reports whether a survey shows an object as its state says.
func shows(ex terraform.Executor, r terraform.ResourceType, identity, state cty.Value) bool {
	return survey.Take(context.Background(), ex, r, nil, time.Time{}).Shows(r.Schema, identity, state)
}

func str(s string) cty.Value { return cty.StringVal(s) }

func tellsNo(names ...string) func(*cloud) {
	return func(c *cloud) {
		c.untold = map[string]bool{}
		for _, name := range names {
			c.untold[name] = true
		}
	}
}

func tokened(id string) func(*cloud) { return func(c *cloud) { c.tokens["of "+id] = id } }

// With any objects, an object is shown if and only if it is listed, and each attribute that is told
// of any object is as it is stored.
func TestShowsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newCloud(assigned)
		names := []string{"x", "y"}
		for range rapid.IntRange(0, 4).Draw(t, "objects") {
			id := c.add(object{rapid.SampledFrom(names).Draw(t, "name"), rapid.Int64Range(1, 2).Draw(t, "size")})
			if rapid.Bool().Draw(t, "has a token") {
				c.tokens[rapid.SampledFrom(names).Draw(t, "token")] = id
			}
		}
		tellsNo(rapid.SliceOfDistinct(rapid.SampledFrom([]string{"id", "name", "size", "token"}),
			func(s string) string { return s }).Draw(t, "untold")...)(c)
		id := fmt.Sprintf("i-%d", rapid.IntRange(1, 4).Draw(t, "id"))
		state := thing(str(id), rapid.SampledFrom(names).Draw(t, "stored name"), rapid.Int64Range(1, 2).Draw(t, "stored size"))
		if rapid.Bool().Draw(t, "stores a token") {
			state = withToken(state, str(rapid.SampledFrom(names).Draw(t, "stored token")))
		}
		listed := map[string]cty.Value{}
		for _, other := range c.ids() {
			listed[other] = c.instance(other).State
		}
		_, want := listed[id]
		for name := range state.Type().AttributeTypes() {
			told := false
			for _, other := range listed {
				told = told || !c.untold[name] && !other.GetAttr(name).IsNull()
			}
			want = want && (!told || listed[id].GetAttr(name).RawEquals(state.GetAttr(name)))
		}
		if got := shows(c, assigned.resource(), c.identity(id, ""), state); got != want {
			t.Fatalf("got %t, want %t: %#v among %#v without %v", got, want, state, listed, c.untold)
		}
	})
}

func TestLookByList(t *testing.T) {
	t.Parallel()
	const often = 1000
	listed, read := []string{"list states"}, []string{"refresh"}
	for name, test := range map[string]struct {
		before func(h *harness)
		// after is the time until the look that counts; a minute if it is 0.
		after time.Duration
		want  []string
	}{
		"unchanged": {want: listed},
		"changed": {
			before: func(h *harness) { h.cloud.change("i-1", object{"a", 2}) }, want: []string{
				"list states", "refresh", "save", "plan",
			},
		},
		"gone":              {before: func(h *harness) { h.cloud.remove("i-1") }, want: []string{"list states", "refresh", "save", "plan"}},
		"changed, not told": {before: func(h *harness) { tellsNo("size")(h.cloud); h.cloud.change("i-1", object{"a", 2}) }, want: listed},
		"not told any more": {
			before: func(h *harness) { h.look(time.Minute); tellsNo("size")(h.cloud) }, want: []string{
				"list states", "refresh",
			},
		},
		"cannot be listed": {
			before: func(h *harness) { h.cloud.fail["list states"] = diagnostic.Errorf("Quota exceeded", "No.") },
			want:   []string{"list states", "refresh"},
		},
		"too many":              {before: func(h *harness) { h.cloud.many(survey.Max) }, want: []string{"list states", "refresh"}},
		"almost too many":       {before: func(h *harness) { h.cloud.many(survey.Max - 2) }, want: listed},
		"a look is asked for":   {before: func(h *harness) { h.r.LookRequested = "now" }, want: read},
		"a retry is asked for":  {before: func(h *harness) { h.r.Asked.Retry = "now" }, want: []string{"save", "refresh", "plan"}},
		"tainted":               {before: func(h *harness) { h.r.Asked.Taint = "now" }, want: []string{"save", "refresh", "plan"}},
		"another configuration": {before: func(h *harness) { h.want("a", 2) }, want: []string{"refresh", "plan"}},
		"deleted": {
			before: func(h *harness) { h.r.Deleted, h.r.Config, h.r.ConfigHash = true, nil, "" },
			want:   []string{"refresh"},
		},
		"another argument":       {before: func(h *harness) { h.look(time.Minute); h.arguments("a") }, want: listed},
		"an argument not known":  {before: func(h *harness) { h.arguments("") }, want: read},
		"a restart":              {before: func(h *harness) { h.restart() }, want: []string{"refresh", "plan"}},
		"the store was written":  {before: func(h *harness) { h.sched.Reload(h.r.Key) }, want: []string{"refresh", "plan"}},
		"too early":              {before: func(h *harness) { h.look(time.Minute) }, after: 10 * time.Second, want: read},
		"after most of the time": {before: func(h *harness) { h.look(time.Minute) }, after: 54 * time.Second, want: listed},
		"another account":        {before: func(h *harness) { h.look(time.Minute); h.r.Account.Content = "other" }, want: listed},
		"only observed":          {before: func(h *harness) { h.onlyObserved() }, want: listed},
		"only observed, changed": {
			before: func(h *harness) { h.onlyObserved(); h.cloud.change("i-1", object{"b", 1}) }, want: []string{
				"list states", "refresh", "save",
			},
		},
		"only observed, changed before": {before: func(h *harness) {
			h.onlyObserved()
			h.cloud.change("i-1", object{"b", 1})
			h.look(time.Minute)
		}, want: read},
		"after a failed read": {before: func(h *harness) {
			h.r.LookRequested, h.cloud.fail["refresh"] = "now", diagnostic.Errorf("Not available", "No.")
			h.observeRefused(decision.ReasonReadFailed)
			h.r.LookRequested = ""
			delete(h.cloud.fail, "refresh")
		}, want: read},
		"not configured any more": {before: func(h *harness) { h.r.ListRefresh = nil }, want: read},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.byList(often)
				h.settle()
				h.look(time.Minute)
				if test.before != nil {
					test.before(h)
				}
				if test.after == 0 {
					test.after = time.Minute
				}
				if diff := cmp.Diff(test.want, h.look(test.after)); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
			})
		})
	}
}

// many adds objects.
func (c *cloud) many(n int) {
	for range n {
		c.add(object{"other", 1})
	}
}

// arguments narrows the list down by a name, which is not known if it is empty.
func (h *harness) arguments(name string) {
	h.r.ListRefresh.Arguments = func(cty.Value) (map[string]cty.Value, string) {
		if name == "" {
			return nil, "name"
		}
		return map[string]cty.Value{"name": str(name)}, ""
	}
}

// onlyObserved has no configuration any more.
func (h *harness) onlyObserved() {
	h.r.Config, h.r.ConfigHash, h.r.Policies = nil, "", desired.Policies{}
	h.look(time.Minute)
}

// What a list does not tell is found by the read of every n-th look at the latest.
func TestLookByListReads(t *testing.T) {
	t.Parallel()
	bubble(t, assigned, func(h *harness) {
		const every = 5
		tellsNo("size")(h.cloud)
		h.byList(every)
		h.settle()
		h.look(time.Minute)
		without := 0
		for range 20 {
			got := h.look(time.Minute)
			if slices.Contains(got, "refresh") {
				without = 0
			} else if without++; without >= every {
				t.Fatalf("%d looks without a read", without)
			}
		}
		h.cloud.change("i-1", object{"a", 2})
		for n := 1; !slices.Contains(h.look(time.Minute), "save"); n++ {
			if n >= every {
				t.Fatal("the change is not found")
			}
		}
	})
}

// One list serves all resources, also if they look at the same time, and is forgotten when it is
// not in use any more.
func TestLookByListTogether(t *testing.T) {
	t.Parallel()
	newEstate(t, assigned, func(x *estate) {
		var all []*harness
		for i := range 20 {
			h := x.resource(fmt.Sprint("r", i), i, fmt.Sprint("n", i))
			h.byList(1000)
			h.settle()
			h.observe()
			all = append(all, h)
		}
		for range 3 {
			time.Sleep(time.Minute)
			x.cloud.log.take()
			for _, h := range all {
				go func() {
					if _, err := h.sched.Observe(context.Background(), h.r); err != nil {
						t.Error(err)
					}
				}()
			}
			synctest.Wait()
			if diff := cmp.Diff([]string{"list states"}, x.cloud.log.take()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		}
	})
}

// Whatever happens outside, and whenever looks are made, what an observation tells of the object
// was so at most an interval before the look; and what lists do not tell, at most as many looks
// before as one of which reads it.
func TestLookByListProperty(t *testing.T) {
	t.Parallel()
	const every = 4
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(rt *rapid.T) {
			h := newHarness(t, assigned)
			tellsNo("size")(h.cloud)
			h.byList(every)
			h.settle()
			h.r.Config, h.r.ConfigHash, h.r.Policies = nil, "", desired.Policies{}
			h.observe()
			now := object{"a", 1}
			names := map[string]time.Time{} // until when the object had them
			sizes := map[int64]int{}        // the number of the last look before which it had them
			looks := 0
			for range rapid.IntRange(1, 30).Draw(rt, "steps") {
				names[now.name], sizes[now.size] = time.Now(), looks
				switch rapid.IntRange(0, 3).Draw(rt, "what") {
				case 0:
					now.name = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "name")
				case 1:
					now.size = rapid.Int64Range(1, 3).Draw(rt, "size")
				case 2:
					time.Sleep(time.Duration(rapid.IntRange(1, 70).Draw(rt, "seconds")) * time.Second)
				default:
					time.Sleep(time.Duration(rapid.IntRange(54, 66).Draw(rt, "interval")) * time.Second)
				}
				h.cloud.change("i-1", now)
				delete(names, now.name)
				delete(sizes, now.size)
				if rapid.IntRange(0, 4).Draw(rt, "no look") == 0 {
					continue
				}
				looks++
				state := h.observe().Instance.State
				if until, old := names[nameOf(state)]; old && time.Since(until) > time.Minute || !old && nameOf(state) != now.name {
					rt.Fatalf("the name is %s, which ended %s ago; it is %s", nameOf(state), time.Since(until), now.name)
				}
				if last, old := sizes[sizeOf(state)]; old && looks-last > every || !old && sizeOf(state) != now.size {
					rt.Fatalf("the size is %d, which ended %d looks ago; it is %d", sizeOf(state), looks-last, now.size)
				}
			}
		})
	})
}

// The reason why objects cannot be listed is logged once.
func TestListFailureIsLogged(t *testing.T) {
	t.Parallel()
	bubble(t, assigned, func(h *harness) {
		var log []string
		h.o.Logger = logTo(&log)
		h.restart()
		h.cloud.fail["list states"] = diagnostic.Errorf("Quota exceeded", "Too many lists.")
		h.byList(1000)
		h.settle()
		for range 4 {
			h.look(time.Minute)
		}
		if len(log) != 1 || !strings.Contains(log[0], "Quota exceeded") {
			t.Errorf("the log is %q", log)
		}
	})
}

func logTo(lines *[]string) logr.Logger {
	return funcr.New(func(_, args string) { *lines = append(*lines, args) }, funcr.Options{})
}
