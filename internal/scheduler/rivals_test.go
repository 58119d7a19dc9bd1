package scheduler_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Whatever a later process claims from a record, the record tells in its labels.
func TestRecordsTellWhatTheyName(t *testing.T) {
	for name, happens := range map[string]func(h *harness){
		"created": func(h *harness) { h.settle() },
		"changed": func(h *harness) { h.settle(); h.want("a", 2); h.settle() },
		"imported": func(h *harness) {
			h.r.Import.Target = byID(h.cloud.add(object{"a", 1}))
			h.settle()
			h.settle()
		},
		"named beforehand": func(h *harness) { h.r.NamedImport = namedImport("a"); h.settle() },
		"interrupted": func(h *harness) {
			h.cloud.manner = silentDone
			h.observe()
			h.apply()
			synctest.Wait()
		},
		"deposed": func(h *harness) {
			h.r.Config.CreateBeforeDestroy = true
			h.settle()
			h.want("b", 1)
			h.r.Config.CreateBeforeDestroy = true
			h.observe()
			h.apply()
			synctest.Wait()
		},
		"only observed": func(h *harness) {
			h.settle()
			h.r.Policies.Manage = false
			h.want("a", 2)
			h.observe()
			h.r.Policies.Manage = true
		},
		"a resource of a module": func(h *harness) { h.r.Release = ""; h.settle() },
	} {
		for _, kind := range []identityKind{noIdentity, assigned, plannedIdentity, derivable, constant} {
			t.Run(name+", "+string(kind), func(t *testing.T) {
				bubble(t, kind, func(h *harness) {
					h.r.Release = "1.0.0"
					happens(h)
					told := h.store.records[h.r.Key].objects
					h.restart()
					if _, ok := h.sched.Sought(h.r); ok {
						t.Error("objects are sought before any are claimed")
					}
					if err := h.sched.Claim(t.Context(), h.r); err != nil {
						t.Fatal(err)
					}
					of, ok := h.sched.Sought(h.r)
					if h.r.Release == "" {
						if ok || told != (store.Objects{}) {
							t.Errorf("sought %v, told %v", of, told)
						}
						return
					}
					if !ok || of.By != store.ObjectsBy("1.0.0") || told.By != of.By {
						t.Fatalf("sought %v (%t), told %v", of, ok, told)
					}
					for _, hash := range of.Objects {
						if told.Hash != hash && told.Hash != store.SeveralObjects {
							t.Errorf("%q is not told of %v", told.Hash, of.Objects)
						}
					}
					in := h.stored().Instance
					if several := in.Operation != nil ||
						len(in.Deposed) > 0; several != (told.Hash == store.SeveralObjects) && len(of.Objects) < 2 &&
						h.r.Import.Target == nil && h.r.NamedImport.ID == "" {
						t.Errorf("told %q of an instance with operation %v, %d deposed objects", told.Hash, in.Operation, len(in.Deposed))
					}
					if unique := kind != noIdentity && kind != constant; unique && in.Exists() && len(of.Objects) == 0 {
						t.Error("nothing is sought")
					}
				})
			})
		}
	}
}

// The record of an object with an id that others may have tells it, too: others may want to import
// it.
func TestRecordsTellIDs(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.r.Release = "1.0.0"
		id := h.settle().Instance
		of, ok := h.sched.Sought(h.r)
		if !ok || len(of.Objects) != 0 {
			t.Errorf("sought %v, %t", of, ok)
		}
		if got := h.store.records[h.r.Key].objects.Hash; got != store.ObjectHash("test_thing", "id="+idOf(id)) {
			t.Errorf("told %q", got)
		}
		// What another one imports is sought by its id.
		other := *h
		other.r.Key.Name, other.r.UID = "other", "other"
		other.r.Import.Target = byID(idOf(id))
		_, _ = other.sched.Observe(t.Context(), other.r)
		if of, ok := other.sched.Sought(other.r); !ok || !slices.Contains(of.Objects, store.ObjectHash("test_thing", "id="+idOf(id))) {
			t.Errorf("sought %v, %t", of, ok)
		}
	})
}
