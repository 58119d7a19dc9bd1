package scheduler_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// counts fails the test if the census differs.
func (h *harness) counts(want scheduler.Census) {
	h.t.Helper()
	all := map[schema.GroupKind]*scheduler.Census{{Group: "test.landbridge.io", Kind: "Thing"}: &want}
	if diff := cmp.Diff(all, h.sched.Census()); diff != "" {
		h.t.Errorf("census (-want +got):\n%s", diff)
	}
}

func TestCensus(t *testing.T) {
	t.Run("a running create", func(t *testing.T) {
		bubble(t, noIdentity, func(h *harness) {
			h.begins(instance.Create)
			// Its intent is stored, so what exists is not known.
			got := h.sched.Census()[schema.GroupKind{Group: "test.landbridge.io", Kind: "Thing"}]
			if got.Running != 1 || got.Unknown != 0 {
				t.Errorf("the census is %+v", got)
			}
			h.unblocks()
		})
	})
	t.Run("an object", func(t *testing.T) {
		bubble(t, noIdentity, func(h *harness) {
			h.settle()
			h.counts(scheduler.Census{States: map[instance.Status]int{instance.Full: 1}})
		})
	})
	t.Run("a tainted object", func(t *testing.T) {
		bubble(t, noIdentity, func(h *harness) {
			h.tainted()
			h.counts(scheduler.Census{States: map[instance.Status]int{instance.Tainted: 1}})
		})
	})
	t.Run("an unknown outcome", func(t *testing.T) {
		bubble(t, noIdentity, func(h *harness) {
			h.interrupted(instance.Create, instance.Instance{})
			h.observeRefused(decision.ReasonCreateOutcomeUnknown)
			h.counts(scheduler.Census{States: map[instance.Status]int{instance.Empty: 1}, Unknown: 1, Unobserved: 1})
		})
	})
	t.Run("nothing", func(t *testing.T) {
		bubble(t, noIdentity, func(h *harness) {
			if diff := cmp.Diff(map[schema.GroupKind]*scheduler.Census{}, h.sched.Census()); diff != "" {
				t.Errorf("census (-want +got):\n%s", diff)
			}
		})
	})
}

// Metrics are told the same as the resource.
func TestToldIsAllEvents(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		var told []string
		h.o.Told = func(k store.Key, e scheduler.Event) {
			if k != h.r.Key {
				t.Errorf("the event is of %v", k)
			}
			told = append(told, eventText(e))
		}
		h.restart()
		h.settle()
		h.want("a", 2)
		h.settle()
		synctest.Wait()
		if diff := cmp.Diff(h.told.take(), told); diff != "" || len(told) != 2 {
			t.Errorf("events (-of the resource +of metrics):\n%s", diff)
		}
	})
}
