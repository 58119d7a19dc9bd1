package store_test

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// upgradedTo returns what a later version has made of an object.
func upgradedTo(version int64) instance.Instance {
	return instance.Instance{RawState: json.RawMessage(`{"id":"i-1","later":true}`), SchemaVersion: version, Status: instance.Full}
}

// A record whose object an earlier version cannot read is rolled back to what was stored before,
// unless an operation is under way.
func TestRolledBack(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	former := store.NewFormer(anInstance(password), thing, now)
	newest := upgradedTo(9)
	operating := upgradedTo(4)
	operating.Operation = &instance.Operation{ID: "o", Kind: instance.Update}
	tainted := upgradedTo(4)
	tainted.Status = instance.Tainted
	damaged := *former
	damaged.SHA256 = "00"
	for name, tc := range map[string]struct {
		rec  store.Record
		want bool
	}{
		"a later version":            {store.Record{Instance: upgradedTo(4), Former: former}, true},
		"tainted since":              {store.Record{Instance: tainted, Former: former}, true},
		"nothing is kept":            {store.Record{Instance: upgradedTo(4)}, false},
		"it is damaged":              {store.Record{Instance: upgradedTo(4), Former: &damaged}, false},
		"it can be read":             {store.Record{Instance: upgradedTo(2), Former: former}, false},
		"an operation has not ended": {store.Record{Instance: operating, Former: former}, false},
		"both are later":             {store.Record{Instance: newest, Former: store.NewFormer(upgradedTo(8), thing, now)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := tc.rec.RolledBack(thing)
			if ok != tc.want {
				t.Fatalf("rolled back: %t", ok)
			}
			if !ok {
				return
			}
			if got.Former != nil || got.Instance.Status != tc.rec.Instance.Status ||
				string(got.Instance.Private) != "\x00\x01\x02" || got.Instance.State.GetAttr("password") != cty.StringVal(password) {
				t.Errorf("it has not what was stored before, or another status than since")
			}
		})
	}
}

// What was stored before an upgrade is compressed and bounded.
func TestFormerIsBounded(t *testing.T) {
	t.Parallel()
	random := make([]byte, 1<<20)
	_, _ = rand.Read(random)
	if store.NewFormer(anInstance(hex.EncodeToString(random)), thing, time.Now()) != nil {
		t.Error("a large object is kept")
	}
	if f := store.NewFormer(anInstance(string(make([]byte, 1<<20))), thing, time.Now()); f == nil || len(f.Compressed) > 10_000 {
		t.Error("an object that compresses well is not kept, or not compressed")
	}
}

// What was stored before an upgrade is stored with the record, and removed with it.
func TestFormerIsStored(t *testing.T) {
	s, k := &store.Secrets{Client: secrets(t)}, key("upgraded")
	rec := save(t, s, k, store.Record{Owner: "uid", Instance: anInstance(password)})
	rec.Former = store.NewFormer(anInstance(password), thing, time.Now())
	saved := save(t, s, k, rec)
	if saved.Version == rec.Version {
		t.Error("it is not written")
	}
	s.Forget(k)
	got := load(t, s, k)
	if diff := cmp.Diff(rec.Former, got.Former); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again := save(t, s, k, got); again.Version != got.Version {
		t.Error("the same record is written again")
	}
	got.Former = nil
	save(t, s, k, got)
	if s.Forget(k); load(t, s, k).Former != nil {
		t.Error("it is still there")
	}
}
