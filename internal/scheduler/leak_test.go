package scheduler_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	"github.com/landbridge-io/landbridge/internal/testing/leaktest"
)

// live has n resources live one after the other: each is created, drifts, changes, is replaced and
// destroyed, or just gone, with a provider configuration of its own. It returns what the scheduler
// holds then.
func (h *harness) live(from, n int) map[string]int {
	first := h.r
	for i := from; i < from+n; i++ {
		h.r = first
		h.r.Key.Name, h.r.UID = fmt.Sprint("r-", i), types.UID(fmt.Sprint("uid-", i))
		h.r.ProviderConfiguration = fmt.Sprint("configuration-", i)
		h.r.Account.Content = fmt.Sprint("content-", i)
		h.r.Brake = &scheduler.Brake{
			Scope: brake.Scope{Provider: "p", Account: fmt.Sprint("account-", i)}, Namespace: fmt.Sprint("team-", i),
			Limit: func(context.Context) (brake.Limit, bool) { return brake.Limit{Destroys: 100, Share: 50}, false },
		}
		h.want("a", 1)
		h.settle()
		h.cloud.change(h.cloud.ids()[0], object{"a", 2})
		h.polls(3)
		h.want("b", 1)
		h.polls(3)
		h.cloud.change(h.cloud.ids()[0], object{"b", 2})
		h.polls(1)
		if i%2 == 0 {
			h.r.Deleted, h.r.Config = true, nil
			h.observe()
			if err := h.sched.Delete(h.t.Context(), h.r); err != nil {
				h.t.Fatal(err)
			}
			synctest.Wait()
			h.observe()
			if err := h.sched.Forget(h.t.Context(), h.r); err != nil {
				h.t.Fatal(err)
			}
		} else {
			h.cloud.remove(h.cloud.ids()[0])
		}
		h.sched.Gone(h.r.Key)
		h.sched.Deleted(h.r.UID)
		time.Sleep(10 * time.Minute)
	}
	h.r = first
	synctest.Wait()
	out := leaktest.Process()
	leaktest.Entries(reflect.ValueOf(h.sched).Elem().FieldByName("owners"), "owners", out)
	v := reflect.ValueOf(h.sched).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != "o" && name != "owners" && name != "ctx" && name != "cancel" {
			leaktest.Entries(v.Field(i), name, out)
		}
	}
	return out
}

// Nothing is kept of resources that are gone, nor of their provider configurations and namespaces.
func TestNothingIsKeptOfGoneResources(t *testing.T) {
	for _, kind := range []identityKind{noIdentity, assigned} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			bubble(t, kind, func(h *harness) {
				before := h.live(0, 20)
				after := h.live(20, 40)
				for at, n := range after {
					if n > before[at]+2 {
						t.Errorf("%s: %d entries after 20 resources, %d after 60", at, before[at], n)
					}
				}
			})
		})
	}
}
