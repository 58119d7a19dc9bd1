package scheduler_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// An object that cannot be read any more is destroyed on request, and not without it.
func TestDeleteWithoutRefresh(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(h *harness)
		names   bool // the message names the annotation
		calls   []string
		refused bool
	}{
		"not asked for":      {change: func(*harness) {}, refused: true, names: true},
		"the object is kept": {change: func(h *harness) { h.r.Policies.Delete = false }, refused: true},
		"asked for": {
			change: func(h *harness) { h.r.WithoutRefresh = true },
			calls:  []string{"plan destroy", "save intent Delete", "apply Delete", "save", "wake"},
		},
		"asked for, not deleting": {change: func(h *harness) { h.r.WithoutRefresh, h.r.Deleted = true, false }, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				h.cloud.fail["refresh"] = diagnostic.Errorf("Forbidden", "It cannot be read.")
				h.deleting()
				tc.change(h)
				h.log.take()
				if tc.refused {
					se := h.observeRefused(decision.ReasonReadFailed)
					if got := strings.Contains(se.Error(), `landbridge.io/delete-without-refresh to "true"`); got != tc.names {
						t.Errorf("the message: %s", se)
					}
					return
				}
				if !h.observe().Exists() {
					t.Fatal("the object is taken for gone")
				}
				if err := h.sched.Delete(t.Context(), h.r); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if diff := cmp.Diff(tc.calls, h.log.take()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				if h.observe().Exists() || len(h.cloud.ids()) != 0 {
					t.Error("the object is left")
				}
			})
		})
	}
}

// An object that a later version of the provider has stored cannot be destroyed as it is stored
// either. The message says what helps.
func TestUnreadableOfLaterVersion(t *testing.T) {
	for name, deleting := range map[string]bool{"in use": false, "being deleted": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.cloud.add(object{"a", 1})
				in := h.cloud.instance("i-1")
				in.RawState, in.SchemaVersion = []byte(`{"size":"1"}`), h.r.Type.Schema.Version+1
				h.stores(in)
				h.cloud.fail["refresh"] = diagnostic.Errorf("Unable to Upgrade Resource State", "There is no upgrade from this version.")
				if deleting {
					h.deleting()
				}
				message := h.observeRefused(decision.ReasonReadFailed).Error()
				if !strings.Contains(message, "Install at least that version.") || strings.Contains(message, "delete-without-refresh") {
					t.Errorf("the message: %s", message)
				}
			})
		})
	}
}

// upgrading is a cloud whose executor upgrades stored objects.
type upgrading struct{ *cloud }

func (u upgrading) Upgrade(_ context.Context, r terraform.ResourceType, in instance.Instance) (instance.Instance, diagnostic.Diagnostics) {
	u.log.add("upgrade")
	in.State, in.RawState, in.SchemaVersion = u.instance("i-1").State, nil, r.Schema.Version
	return in, nil
}

// An object of an earlier schema version is upgraded, and not read.
func TestDeleteWithoutRefreshUpgrades(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.cloud.add(object{"a", 1})
		h.stores(h.cloud.instance("i-1"))
		newer := *h.r.Type.Schema
		newer.Version = 2
		h.r.Type.Schema = &newer
		h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return upgrading{h.cloud}, func() {}, nil
		}
		h.deleting()
		h.r.WithoutRefresh = true
		if o := h.observe(); idOf(o.Instance) != "i-1" {
			t.Errorf("observed %+v", o.Instance)
		}
		if err := h.sched.Delete(t.Context(), h.r); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := []string{"upgrade", "plan destroy", "save intent Delete", "apply Delete", "save", "wake"}
		if diff := cmp.Diff(want, h.log.take()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}
