package scheduler_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
)

// check is one check of a resource, as at a poll, with the corrections that it leads to.
func (h *harness) check() {
	h.t.Helper()
	time.Sleep(time.Minute)
	if !h.observe().UpToDate() {
		h.apply()
		synctest.Wait()
	}
}

// flaps reports whether the resource flaps because of another one, or because of something unknown
// ("").
func (h *harness) flaps(by string) bool {
	h.t.Helper()
	f := h.observe().Flap
	return f != nil && f.Other.Name == by && len(f.Paths) == 1 && f.Paths[0].Equals(cty.GetAttrPath("size"))
}

// Two resources that set the same object undo each other at each check. Both are told, until one of
// them gives way.
func TestFlap(t *testing.T) {
	newEstate(t, noIdentity, func(x *estate) {
		x.cloud.add(object{"x", 1})
		var both []*harness
		for i, name := range []string{"a", "b"} {
			h := x.resource(name, i, "x")
			h.want("x", int64(i+1))
			h.stores(x.cloud.instance("i-1"))
			both = append(both, h)
		}
		a, b := both[0], both[1]
		// Another object that is corrected in the reverse way has nothing to do with it.
		x.cloud.add(object{"z", 1})
		other := x.resource("other", 2, "z")
		other.stores(x.cloud.instance("i-2"))
		for i := range 8 {
			for _, h := range both {
				h.check()
			}
			other.check()
			x.cloud.objects["i-2"] = object{"z", 2}
			if i < 2 && (a.observe().Flap != nil || b.observe().Flap != nil) {
				t.Errorf("after %d rounds something flaps", i+1)
			}
		}
		a.check()
		if !a.flaps("b") {
			t.Errorf("the first: %+v", a.observe().Flap)
		}
		b.check()
		if !b.flaps("a") {
			t.Errorf("the second: %+v", b.observe().Flap)
		}
		other.check()
		if !other.flaps("") {
			t.Errorf("something unknown: %+v", other.observe().Flap)
		}
		b.want("x", 1)
		for range 5 {
			b.check()
			a.check()
		}
		if a.observe().Flap != nil || b.observe().Flap != nil {
			t.Errorf("both agree, and flap: %+v, %+v", a.observe().Flap, b.observe().Flap)
		}
	})
}

// Changes of the configuration, and drift that differs each time, are not reported.
func TestNoFlap(t *testing.T) {
	for name, round := range map[string]func(h *harness, i int64){
		"changes of the configuration": func(h *harness, i int64) { h.want("a", i%2) },
		"drift that differs":           func(h *harness, i int64) { h.cloud.objects["i-1"] = object{"a", i + 7} },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				for i := range int64(10) {
					round(h, i)
					h.check()
					if h.observe().Flap != nil {
						t.Fatalf("after %d rounds: %+v", i+1, h.observe().Flap)
					}
				}
				if got := h.stored().Instance; got.Status != instance.Full || !slices.Equal(h.cloud.ids(), []string{"i-1"}) {
					t.Errorf("%s, objects %v", got.Status, h.cloud.ids())
				}
			})
		})
	}
}
