package scheduler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// versioned is a cloud whose provider upgrades stored objects of earlier schema versions, and
// cannot read those of later ones.
type versioned struct{ *cloud }

func (v versioned) Refresh(
	ctx context.Context, r terraform.ResourceType, in instance.Instance,
) (terraform.Refreshed, diagnostic.Diagnostics) {
	if in.Newer(r.Schema) {
		return terraform.Refreshed{Instance: in}, diagnostic.Errorf("Newer", "A newer version has written it.")
	}
	if len(in.RawState) == 0 {
		return v.cloud.Refresh(ctx, r, in)
	}
	in.State, in.RawState = instance.DecodeValue(in.RawState, 0, r.Schema.ImpliedType(), 0)
	out, diags := v.cloud.Refresh(ctx, r, in)
	out.Unchanged, out.Instance.SchemaVersion = false, r.Schema.Version
	return out, diags
}

// Import implements terraform.Executor: what is imported is of the version that runs.
func (v versioned) Import(
	ctx context.Context, r terraform.ResourceType, target terraform.ImportTarget,
) (instance.Instance, diagnostic.Diagnostics) {
	out, diags := v.cloud.Import(ctx, r, target)
	out.SchemaVersion = r.Schema.Version
	return out, diags
}

// runs has another version of the provider take over.
func (h *harness) runs(version int64) {
	other := *h.r.Type.Schema
	other.Version = version
	h.r.Type.Schema = &other
}

// storedVersion returns the schema version of the stored object, and that of the former one; 0 if
// there is none.
func (h *harness) storedVersion() (now, former int64) {
	rec, err := h.o.Store.Load(h.t.Context(), h.r.Key, store.Verbatim)
	if err != nil {
		h.t.Fatal(err)
	}
	if rec.Former != nil {
		in, err := rec.Former.Instance(store.Verbatim)
		if err != nil {
			h.t.Fatal(err)
		}
		former = in.SchemaVersion
	}
	return rec.Instance.SchemaVersion, former
}

// An earlier version of a provider goes on with the object as it was before a later one has
// upgraded it, unless it was changed since or the upgrade is confirmed.
func TestRollback(t *testing.T) {
	type versions struct{ Now, Former int64 }
	write := func(h *harness) { // reads that the object was changed outside
		h.cloud.objects["i-1"] = object{"a", 7}
		time.Sleep(time.Minute)
		h.r.Policies.Update = false
		h.observe()
	}
	another := func(h *harness) { // the object is gone, and the annotations name another one
		delete(h.cloud.objects, "i-1")
		h.cloud.objects["i-9"] = object{"a", 1}
		time.Sleep(time.Hour)
		h.r.Known = &desired.KnownObject{
			Target:    terraform.ImportTarget{ID: "i-9", Identity: cty.NilVal},
			Recognize: func(in instance.Instance) bool { return len(in.RawState) == 0 && idOf(in) == "i-9" },
		}
		h.observe()
	}
	for name, tc := range map[string]struct {
		upgrades scheduler.Upgrades
		// first is what happens before version 2 reads the object.
		first func(h *harness)
		// meanwhile is what happens while version 2 runs.
		meanwhile func(h *harness)
		// upgraded is what is stored before version 1 runs again, and back afterwards.
		upgraded, back versions
		status         instance.Status
	}{
		"nothing happens":  {upgraded: versions{2, 1}, back: versions{1, 0}, status: instance.Full},
		"changed outside":  {meanwhile: write, upgraded: versions{2, 1}, back: versions{1, 0}, status: instance.Full},
		"the process ends": {meanwhile: (*harness).restart, upgraded: versions{2, 1}, back: versions{1, 0}, status: instance.Full},
		"upgraded again": {
			meanwhile: func(h *harness) { h.runs(3); h.observe() }, upgraded: versions{3, 1}, back: versions{1, 0},
			status: instance.Full,
		},
		"a taint is asked": {
			meanwhile: func(h *harness) { h.r.Asked.Taint = "now"; h.observe() }, upgraded: versions{2, 1},
			back: versions{1, 0}, status: instance.Tainted,
		},
		"changed": {
			meanwhile: func(h *harness) { h.want("a", 2); h.observe(); h.apply(); synctest.Wait() },
			upgraded:  versions{2, 0}, back: versions{2, 0},
		},
		"a change fails": {
			meanwhile: func(h *harness) {
				h.cloud.manner = refused
				h.want("a", 2)
				h.observe()
				h.apply()
				synctest.Wait()
			}, upgraded: versions{2, 0}, back: versions{2, 0},
		},
		"replaced": {
			meanwhile: func(h *harness) { h.r.Asked.Taint = "now"; h.settle() }, upgraded: versions{2, 0},
			back: versions{2, 0},
		},
		"confirmed by time": {
			meanwhile: func(h *harness) { time.Sleep(25 * time.Hour); write(h) }, upgraded: versions{2, 0},
			back: versions{2, 0},
		},
		"another object":         {meanwhile: another, upgraded: versions{2, 0}, back: versions{2, 0}},
		"another object at once": {first: another, upgraded: versions{2, 0}, back: versions{2, 0}},
		"time, not written": {
			meanwhile: func(h *harness) { time.Sleep(25 * time.Hour) }, upgraded: versions{2, 1},
			back: versions{1, 0}, status: instance.Full,
		},
		"confirmed by hand": {
			meanwhile: func(h *harness) { h.r.Upgrades.Confirmed = time.Now(); write(h) }, upgraded: versions{2, 0},
			back: versions{2, 0},
		},
		"another confirmed": {
			upgrades: scheduler.Upgrades{ConfirmAfter: 24 * time.Hour, Confirmed: time.Unix(1, 0)}, meanwhile: write,
			upgraded: versions{2, 1}, back: versions{1, 0}, status: instance.Full,
		},
		"confirmed from the start": {upgrades: scheduler.Upgrades{Confirmed: time.Unix(1, 0)}, upgraded: versions{2, 0}, back: versions{2, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return versioned{h.cloud}, func() {}, nil
				}
				h.r.Upgrades = scheduler.Upgrades{ConfirmAfter: 24 * time.Hour}
				if tc.upgrades != (scheduler.Upgrades{}) {
					h.r.Upgrades = tc.upgrades
				}
				h.settle()
				h.runs(2)
				if tc.first != nil {
					tc.first(h)
				}
				h.observe()
				if tc.meanwhile != nil {
					tc.meanwhile(h)
				}
				got := func() (v versions) {
					v.Now, v.Former = h.storedVersion()
					return v
				}
				if diff := cmp.Diff(tc.upgraded, got()); diff != "" {
					t.Errorf("stored by the later version (-want +got):\n%s", diff)
				}
				h.runs(1)
				if tc.back.Now != 1 {
					h.observeRefused(decision.ReasonReadFailed)
				} else if o := h.observe(); o.Instance.Status != tc.status || idOf(o.Instance) != "i-1" {
					t.Errorf("observed %s %s, want i-1 %s", idOf(o.Instance), o.Instance.Status, tc.status)
				}
				if diff := cmp.Diff(tc.back, got()); diff != "" {
					t.Errorf("stored by the earlier version (-want +got):\n%s", diff)
				}
			})
		})
	}
}
