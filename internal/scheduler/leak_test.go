package scheduler_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
)

// sizes counts the entries of all maps and lists that a value leads to, by where they are.
func sizes(v reflect.Value, at string, seen map[uintptr]bool, out map[string]int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			sizes(v.Elem(), at, seen, out)
		}
	case reflect.Interface:
		if !v.IsNil() {
			sizes(v.Elem(), at, seen, out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			sizes(v.Field(i), at+"."+v.Type().Field(i).Name, seen, out)
		}
	case reflect.Map:
		out[at] += v.Len()
		for it := v.MapRange(); it.Next(); {
			sizes(it.Value(), at+"[]", seen, out)
		}
	case reflect.Slice:
		out[at] += v.Len()
		for i := range v.Len() {
			sizes(v.Index(i), at+"[]", seen, out)
		}
	}
}

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
	out := map[string]int{"goroutines": runtime.NumGoroutine()}
	sizes(reflect.ValueOf(h.sched).Elem().FieldByName("owners"), "owners", map[uintptr]bool{}, out)
	v := reflect.ValueOf(h.sched).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != "o" && name != "owners" && name != "ctx" && name != "cancel" {
			sizes(v.Field(i), name, map[uintptr]bool{}, out)
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
