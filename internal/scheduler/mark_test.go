package scheduler_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// marks are marks that processes leave.
type marks map[scheduler.Mark]bool

func (m marks) has(mark scheduler.Mark) bool { return m[mark] }

// markable makes the request of a harness one whose resource has marks.
func (h *harness) markable() marks {
	left := marks{}
	h.r.Version, h.r.Release, h.r.Account, h.r.Marked = "7", "1.0.0", ownership.Account{Content: "account"}, left.has
	return left
}

// leave leaves the mark of the resource, if it has one.
func (h *harness) leave(m marks) (left bool) {
	mark, left := h.sched.Mark(h.r)
	if left {
		m[mark] = true
	}
	return left
}

// rested has the resource come to rest, and another process take over from the one that has left
// its mark.
func (h *harness) rested() (left marks) {
	h.t.Helper()
	left = h.markable()
	h.settle()
	if h.observe(); !h.leave(left) {
		h.t.Fatal("the resource has no mark")
	}
	h.restart()
	return left
}

// What an earlier process has left at rest is read only, and planned with the next look. If
// anything is different that a plan depends on, it is planned at once.
func TestResume(t *testing.T) {
	planned := []string{"refresh", "plan"}
	for name, tc := range map[string]struct {
		change func(h *harness)
		want   []string
	}{
		"nothing is different":                   {func(*harness) {}, []string{"refresh"}},
		"another version of the custom resource": {func(h *harness) { h.r.Version = "8" }, planned},
		"another resource":                       {func(h *harness) { h.r.UID = "uid-2" }, planned},
		"another configuration":                  {func(h *harness) { h.r.ConfigHash = "a1-2" }, planned},
		"another release":                        {func(h *harness) { h.r.Release = "1.0.1" }, planned},
		"another provider configuration":         {func(h *harness) { h.r.ProviderConfiguration = "other" }, planned},
		"other arguments of the provider":        {func(h *harness) { h.r.Account.Content = "other" }, planned},
		"unknown arguments of the provider":      {func(h *harness) { h.r.Account.Content = "" }, planned},
		"another declared account":               {func(h *harness) { h.r.Account.Declared = "other" }, planned},
		"marks are not known":                    {func(h *harness) { h.r.Marked = nil }, planned},
		"arguments are to be set again":          {func(h *harness) { h.r.Asked.Reapply = "1" }, planned},
		"the object is to be tainted":            {func(h *harness) { h.r.Asked.Taint = "1" }, append([]string{"save"}, planned...)},
		"the object was changed": {
			func(h *harness) { h.cloud.objects["i-1"] = object{"a", 2} }, []string{"refresh", "save", "plan"},
		},
		"reading warns": {func(h *harness) { h.cloud.warns = diagnostic.Warningf("Old", "It is old.") }, planned},
		"the record is another, with the same object": {func(h *harness) {
			rec := h.stored()
			rec.Instance.CreateBeforeDestroy = true
			h.saves(rec)
		}, planned},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				left := h.rested()
				tc.change(h)
				h.log.take()
				first := h.observe()
				if diff := cmp.Diff(tc.want, h.log.take()); diff != "" {
					t.Errorf("calls of the first look (-want +got):\n%s", diff)
				}
				if resumed := len(tc.want) == 1; first.Resumed != resumed {
					t.Errorf("resumed: %t", first.Resumed)
				}
				if !first.Resumed {
					return
				}
				if !first.UpToDate() || !first.Steady() || !h.leave(left) {
					t.Errorf("the observation is not at rest: %+v", first)
				}
				second := h.observe()
				if diff := cmp.Diff(planned, h.log.take()); diff != "" {
					t.Errorf("calls of the second look (-want +got):\n%s", diff)
				}
				if second == first || second.Resumed || !second.UpToDate() {
					t.Errorf("the second observation: %+v", second)
				}
				if third := h.observe(); third != second {
					t.Error("the third observation is another one")
				}
			})
		})
	}
}

// A mark that was wrong, because the provider has changed its mind, lasts for one look.
func TestResumeIsFoundOut(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.rested()
		h.cloud.restless = true
		if o := h.observe(); !o.UpToDate() {
			t.Error("it is planned with the first look")
		}
		if o := h.observe(); o.UpToDate() {
			t.Error("it is not planned with the second look")
		}
	})
}

// It rests already before it is planned with the next look.
func TestResumedRests(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.cloud.silentPlans = true
		h.rested()
		h.log.take()
		if o := h.observe(); !o.Resumed || !h.sched.Rest(h.r) {
			t.Fatalf("it does not rest: %+v", o)
		}
		h.r.Resting = true
		if o := h.observe(); o.Resumed || o == scheduler.Rested || !o.UpToDate() {
			t.Errorf("the second observation: %+v", o)
		}
		if diff := cmp.Diff([]string{"refresh", "refresh", "plan"}, h.log.take()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}

// A resource that is claimed first, as at the start of a controller, resumes, too.
func TestResumeAfterClaim(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.rested()
		claim := h.r
		claim.Config, claim.ConfigHash, claim.Marked = nil, "", nil
		if err := h.sched.Claim(t.Context(), claim); err != nil {
			t.Fatal(err)
		}
		if o := h.observe(); !o.Resumed {
			t.Error("not resumed")
		}
	})
}

// A resource that is not at rest has no mark.
func TestMark(t *testing.T) {
	for name, tc := range map[string]struct {
		arrange func(h *harness)
		none    bool
	}{
		"at rest":                  {arrange: func(h *harness) { h.settle(); h.observe() }},
		"not observed":             {none: true, arrange: func(*harness) {}},
		"not created":              {none: true, arrange: func(h *harness) { h.observe() }},
		"not planned after create": {none: true, arrange: func(h *harness) { h.observe(); h.apply(); h.observe() }},
		"changed since":            {none: true, arrange: func(h *harness) { h.settle(); h.observe(); h.want("a", 2) }},
		"a change is planned":      {none: true, arrange: func(h *harness) { h.settle(); h.want("a", 2); h.observe() }},
		"drifted": {none: true, arrange: func(h *harness) {
			h.settle()
			h.observe()
			h.cloud.objects["i-1"] = object{"a", 2}
			h.observe()
		}},
		"several objects": {none: true, arrange: func(h *harness) {
			h.settle()
			h.observe()
			h.r.Consists = func(instance.Instance) (held, begun []terraform.Object) { return nil, nil }
		}},
		"deleted": {none: true, arrange: func(h *harness) { h.settle(); h.observe(); h.r.Deleted = true }},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				left := h.markable()
				tc.arrange(h)
				if got := h.leave(left); got == tc.none {
					t.Errorf("has a mark: %t", got)
				}
			})
		})
	}
}

// saves stores a record over the one that is stored.
func (h *harness) saves(rec store.Record) {
	h.t.Helper()
	if _, err := h.store.Save(h.t.Context(), h.r.Key, h.r.Type.Schema, rec); err != nil {
		h.t.Fatal(err)
	}
}
