package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// The records that may name an object are found by the labels of their Secrets.
func TestNaming(t *testing.T) {
	client := secrets(t)
	s := &store.Secrets{Client: client}
	by, another := store.ObjectsBy("1.0.0"), store.ObjectsBy("1.1.0")
	a, b := store.ObjectHash("test_thing", "a"), store.ObjectHash("test_thing", "b")
	stored := func(name string, o store.Objects) store.Record {
		return save(t, s, key(name), store.Record{Owner: "uid-1", Instance: anInstance(password), Objects: o})
	}
	named := func(most int, objects ...string) []string {
		t.Helper()
		keys, few, err := (&store.Secrets{Client: client}).Naming(t.Context(), "test.landbridge.io", "Thing", by, objects, most)
		if err != nil {
			t.Fatal(err)
		}
		if !few {
			return []string{"many"}
		}
		var out []string
		for _, k := range keys {
			out = append(out, k.Name)
		}
		slices.Sort(out)
		return out
	}
	want := func(what string, got []string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	rec := stored("a", store.Objects{By: by, Hash: a})
	if rec.Objects != (store.Objects{}) {
		t.Errorf("kept in memory: %v", rec.Objects)
	}
	stored("b", store.Objects{By: by, Hash: b})
	stored("none", store.Objects{By: by})
	save(t, s, store.Key{Group: "test.landbridge.io", Kind: "Other", Name: "a"}, store.Record{Objects: store.Objects{By: by, Hash: a}})
	want("of one", named(8, a), "a")
	want("of two", named(8, a, b), "a", "b")
	want("of another", named(8, store.ObjectHash("test_other", "a")))
	stored("several", store.Objects{By: by, Hash: store.SeveralObjects})
	stored("by-other-rules", store.Objects{By: another, Hash: b})
	stored("unlabelled", store.Objects{})
	stored("earlier", store.Objects{By: by, Hash: b})
	secret, err := client.Get(t.Context(), store.SecretName(key("earlier")), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	delete(secret.Labels, "landbridge.io/kind")
	if _, err := client.Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	want("with those that do not tell", named(8, a), "a", "by-other-rules", "earlier", "several", "unlabelled")
	want("of many", named(4, a), "many")
	for i := range 9 {
		stored(fmt.Sprint("more-", i), store.Objects{By: by, Hash: b})
	}
	want("of many of one", named(8, b), "many")

	// A record is written again when it names another object, and not if it names the same.
	rec.Objects = store.Objects{By: by, Hash: a}
	if again := save(t, s, key("a"), rec); again.Version != rec.Version {
		t.Error("an equal record was written")
	}
	reader := &store.Secrets{Client: client}
	read := load(t, reader, key("a"))
	read.Objects = store.Objects{By: by, Hash: a}
	if again := save(t, reader, key("a"), read); again.Version != rec.Version {
		t.Error("an equal record was written by another process")
	}
	rec.Objects.Hash = store.ObjectHash("test_thing", "c")
	if again := save(t, s, key("a"), rec); again.Version == rec.Version {
		t.Error("a record that names another object was not written")
	}
	want("of the former object", named(8, a), "by-other-rules", "earlier", "several", "unlabelled")
}

// The records of other shards are asked which of them name an object, however many there are.
func TestNamingElsewhere(t *testing.T) {
	client := secrets(t)
	all, own := &store.Secrets{Client: client}, store.Shard{Number: 0, Count: 2}
	mine, other := &store.Secrets{Client: client, Shard: own}, &store.Secrets{Client: client, Shard: store.Shard{Number: 1, Count: 2}}
	a, b := store.ObjectHash("test_thing", "a"), store.ObjectHash("test_thing", "b")
	put := func(by *store.Secrets, k store.Key, hash string) {
		save(t, by, k, store.Record{
			Owner: "uid-1", Instance: anInstance(password), Objects: store.Objects{
				By: store.ObjectsBy("1.0.0"), Hash: hash,
			},
		})
	}
	otherKind := store.Key{Group: "test.landbridge.io", Kind: "Other", Name: "other-kind"}
	put(mine, key("mine"), a)
	put(other, key("theirs"), a)
	put(other, key("another"), b)
	put(other, key("several"), store.SeveralObjects)
	put(other, key("none"), "")
	put(other, otherKind, a)
	for i := range 2 * store.PageSize {
		put(other, store.Key{Group: otherKind.Group, Kind: otherKind.Kind, Name: fmt.Sprintf("of-several-%d", i)}, store.SeveralObjects)
	}
	kinds := []schema.GroupKind{{Group: key("a").Group, Kind: key("a").Kind}}
	for name, x := range map[string]struct {
		named store.Named
		want  []string
		more  int
	}{
		"one": {named: store.Named{Kinds: kinds, Objects: []string{a}}, want: []string{"theirs"}},
		"two": {named: store.Named{Kinds: kinds, Objects: []string{a, b}}, want: []string{"another", "theirs"}},
		"one, or others": {
			named: store.Named{Kinds: kinds, Objects: []string{a}, Several: true}, want: []string{"several", "theirs"},
		},
		"no such": {named: store.Named{Kinds: kinds, Objects: []string{store.ObjectHash("test_other", "a")}}},
		"of two kinds": {
			named: store.Named{
				Kinds:   append(kinds, schema.GroupKind{Group: otherKind.Group, Kind: otherKind.Kind}),
				Objects: []string{a},
			}, want: []string{"other-kind", "theirs"},
		},
		"more than are listed at once": {
			named: store.Named{
				Kinds:   []schema.GroupKind{{Group: otherKind.Group, Kind: otherKind.Kind}},
				Objects: []string{b}, Several: true,
			}, more: 2 * store.PageSize,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			more := 0
			if err := all.NamingElsewhere(t.Context(), own, x.named, func(keys []store.Key) {
				for _, k := range keys {
					if strings.HasPrefix(k.Name, "of-several-") {
						more++
						continue
					}
					got = append(got, k.Name)
				}
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			if diff := cmp.Diff(x.want, got); diff != "" || more != x.more {
				t.Errorf("%d more, (-want +got):\n%s", more, diff)
			}
		})
	}
}
