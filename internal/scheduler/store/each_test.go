package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// The records of a kind are listed in pages, and loaded without further requests.
func TestEach(t *testing.T) {
	client := &counter{SecretInterface: secrets(t)}
	writer := &store.Secrets{Client: client}
	want := map[store.Key]store.Record{}
	for i := range 120 {
		k := key(fmt.Sprintf("thing-%03d", i))
		want[k] = save(t, writer, k, store.Record{Owner: "uid-1", Instance: anInstance(password)})
	}
	for _, other := range []store.Key{
		{Group: "test.landbridge.io", Kind: "Other", Namespace: "team", Name: "other"},
		{Group: "other.landbridge.io", Kind: "Thing", Namespace: "team", Name: "other"},
	} {
		save(t, writer, other, store.Record{Owner: "uid-1"})
	}
	s := &store.Secrets{Client: client}
	client.gets = 0
	got, calls := map[store.Key]store.Record{}, 0
	err := s.Each(t.Context(), "test.landbridge.io", "Thing", func(keys []store.Key) {
		calls++
		for _, k := range keys {
			got[k] = load(t, s, k)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	for k, rec := range got {
		same(t, rec, want[k])
	}
	if calls < 2 || client.gets != 0 {
		t.Errorf("%d pages, %d further requests", calls, client.gets)
	}
	// What was loaded is as if it had been loaded by itself: it is written over, and not written if
	// it is equal.
	k := key("thing-007")
	if again := save(t, s, k, got[k]); again.Version != got[k].Version {
		t.Error("an equal record was written")
	}
	changed := got[k]
	changed.Owner = "uid-2"
	save(t, s, k, changed)
}

// A kind whose name is too long for a label has its records listed, too.
func TestEachOfALongName(t *testing.T) {
	s := &store.Secrets{Client: secrets(t)}
	k := store.Key{Group: "a-group-with-a-very-long-name-of-its-own.landbridge.io", Kind: "AKindWithALongNameOfItsOwn", Name: "a"}
	save(t, s, k, store.Record{Owner: "uid-1"})
	var got []store.Key
	if err := s.Each(t.Context(), k.Group, k.Kind, func(keys []store.Key) { got = append(got, keys...) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]store.Key{k}, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// A listed record is used once, only while it is listed, and never after a newer one.
func TestEachIsNotACache(t *testing.T) {
	client := secrets(t)
	k := key("thing")
	owner := func(s *store.Secrets) string { return string(load(t, s, k).Owner) }
	for name, tc := range map[string]struct {
		// during happens while the record of uid-1 is listed, after uid-2 has written it.
		during func(s *store.Secrets) string
		want   string
	}{
		"first":           {owner, "uid-1"},
		"second":          {func(s *store.Secrets) string { owner(s); return owner(s) }, "uid-2"},
		"after forgotten": {func(s *store.Secrets) string { s.Forget(k); return owner(s) }, "uid-2"},
		"afterwards":      {func(*store.Secrets) string { return "" }, "uid-2"},
		"after a conflict": {func(s *store.Secrets) string {
			rec := load(t, s, k)
			rec.Owner = "uid-3"
			if _, err := s.Save(t.Context(), k, thing, rec); !errors.Is(err, store.ErrConflict) {
				t.Errorf("the outdated record is written over: %v", err)
			}
			return owner(s)
		}, "uid-2"},
	} {
		t.Run(name, func(t *testing.T) {
			writer := &store.Secrets{Client: client}
			rec := save(t, writer, k, store.Record{Owner: "uid-1"})
			s := &store.Secrets{Client: client}
			var got string
			if err := s.Each(t.Context(), k.Group, k.Kind, func([]store.Key) {
				rec.Owner = "uid-2"
				rec = save(t, writer, k, rec)
				got = tc.during(s)
			}); err != nil {
				t.Fatal(err)
			}
			if got == "" {
				got = owner(s)
			}
			if got != tc.want {
				t.Errorf("loaded the record of %s, not %s", got, tc.want)
			}
			if err := writer.Delete(t.Context(), k, rec.Version); err != nil {
				t.Fatal(err)
			}
		})
	}
	// A record that was read before it was listed is read again.
	writer, s := &store.Secrets{Client: client}, &store.Secrets{Client: client}
	rec := save(t, writer, k, store.Record{Owner: "uid-1"})
	load(t, s, k)
	if err := s.Each(t.Context(), k.Group, k.Kind, func([]store.Key) {
		rec.Owner = "uid-2"
		save(t, writer, k, rec)
		if got := owner(s); got != "uid-2" {
			t.Errorf("loaded the record of %s", got)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
