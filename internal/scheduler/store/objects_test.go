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
	rec := stored("a", store.Objects{By: by, Hashes: []string{a}})
	if rec.Objects.By != "" || rec.Objects.Hashes != nil {
		t.Errorf("kept in memory: %v", rec.Objects)
	}
	stored("b", store.Objects{By: by, Hashes: []string{b}})
	stored("none", store.Objects{By: by})
	save(t, s, store.Key{Group: "test.landbridge.io", Kind: "Other", Name: "a"}, store.Record{
		Objects: store.Objects{By: by, Hashes: []string{a}},
	})
	want("of one", named(8, a), "a")
	want("of two", named(8, a, b), "a", "b")
	want("of another", named(8, store.ObjectHash("test_other", "a")))
	stored("both", store.Objects{By: by, Hashes: []string{a, b}})
	stored("others", store.Objects{By: by, Hashes: []string{b, store.ObjectHash("test_thing", "c")}})
	stored("very-many", store.Objects{By: by, Hashes: hashes(store.MostLabelled + 1)})
	stored("by-other-rules", store.Objects{By: another, Hashes: []string{b}})
	stored("unlabelled", store.Objects{})
	stored("earlier", store.Objects{By: by, Hashes: []string{b}})
	secret, err := client.Get(t.Context(), store.SecretName(key("earlier")), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	delete(secret.Labels, "landbridge.io/kind")
	if _, err := client.Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	want("with those that do not tell", named(16, a), "a", "both", "by-other-rules", "earlier", "unlabelled", "very-many")
	want("of many", named(2, a), "many")
	for i := range 17 {
		stored(fmt.Sprint("more-", i), store.Objects{By: by, Hashes: []string{b}})
	}
	want("of many of one", named(16, b), "many")

	// A record is written again when it names another object, and not if it names the same.
	rec.Objects = store.Objects{By: by, Hashes: []string{a}}
	if again := save(t, s, key("a"), rec); again.Version != rec.Version {
		t.Error("an equal record was written")
	}
	reader := &store.Secrets{Client: client}
	read := load(t, reader, key("a"))
	read.Objects = store.Objects{By: by, Hashes: []string{a}}
	if again := save(t, reader, key("a"), read); again.Version != rec.Version {
		t.Error("an equal record was written by another process")
	}
	rec.Objects.Hashes = []string{store.ObjectHash("test_thing", "c")}
	if again := save(t, s, key("a"), rec); again.Version == rec.Version {
		t.Error("a record that names another object was not written")
	}
	want("of the former object", named(16, a), "both", "by-other-rules", "earlier", "unlabelled", "very-many")
}

// hashes returns those of some objects.
func hashes(n int) (out []string) {
	for i := range n {
		out = append(out, store.ObjectHash("test_thing", fmt.Sprint("some-", i)))
	}
	return out
}

// A record with a label for each object is found by each, also by the release before, and labels of
// former objects are removed.
func TestLabelsOfObjects(t *testing.T) {
	client := secrets(t)
	s := &store.Secrets{Client: client}
	by := store.ObjectsBy("1.0.0")
	rec := store.Record{Owner: "uid-1", Instance: anInstance(password)}
	labels := func(of ...string) map[string]string {
		t.Helper()
		rec.Objects = store.Objects{By: by, Hashes: of}
		rec = save(t, s, key("a"), rec)
		secret, err := client.Get(t.Context(), store.SecretName(key("a")), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for name, value := range secret.Labels {
			if strings.Contains(name, "object") || strings.HasPrefix(name, "identity.") {
				out[name] = value
			}
		}
		return out
	}
	many := hashes(store.MostLabelled + 1)
	const object, objectsBy = "landbridge.io/object", "landbridge.io/objects-by"
	for _, x := range []struct {
		of   []string
		want map[string]string
	}{
		{nil, map[string]string{objectsBy: by}},
		{
			[]string{"b", "a", "b"}, map[string]string{
				objectsBy: by + ".each", object: "each", "identity.landbridge.io/a": "", "identity.landbridge.io/b": "",
			},
		},
		{
			[]string{"b", "c"}, map[string]string{
				objectsBy: by + ".each", object: "each", "identity.landbridge.io/b": "", "identity.landbridge.io/c": "",
			},
		},
		{[]string{"c"}, map[string]string{objectsBy: by, object: "c"}},
		{many, map[string]string{objectsBy: by, object: "several"}},
	} {
		if diff := cmp.Diff(x.want, labels(x.of...)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", x.of, diff)
		}
	}
	labels("d", "c")
	version := rec.Version
	if labels("c", "d"); rec.Version != version {
		t.Error("an equal record was written")
	}
	other := &store.Secrets{Client: client}
	rec = load(t, other, key("a"))
	if rec.Objects = (store.Objects{By: by, Hashes: []string{"c", "d"}}); save(t, other, key("a"), rec).Version != version {
		t.Error("an equal record was written by another process")
	}
}

// The records of other shards are asked which of them name an object, however many there are.
func TestNamingElsewhere(t *testing.T) {
	client := secrets(t)
	all, own := &store.Secrets{Client: client}, store.Shard{Number: 0, Count: 2}
	mine, other := &store.Secrets{Client: client, Shard: own}, &store.Secrets{Client: client, Shard: store.Shard{Number: 1, Count: 2}}
	a, b := store.ObjectHash("test_thing", "a"), store.ObjectHash("test_thing", "b")
	put := func(by *store.Secrets, k store.Key, hashes ...string) {
		save(t, by, k, store.Record{
			Owner: "uid-1", Instance: anInstance(password), Objects: store.Objects{
				By: store.ObjectsBy("1.0.0"), Hashes: hashes,
			},
		})
	}
	otherKind := store.Key{Group: "test.landbridge.io", Kind: "Other", Name: "other-kind"}
	put(mine, key("mine"), a)
	put(other, key("theirs"), a)
	put(other, key("another"), b)
	put(other, key("both"), a, b)
	put(other, key("very-many"), hashes(store.MostLabelled+1)...)
	put(other, key("none"))
	save(t, other, key("unlabelled"), store.Record{Owner: "uid-1", Instance: anInstance(password)})
	put(other, otherKind, a)
	unknown := store.Key{Group: "test.landbridge.io", Kind: "Unknown", Name: "unknown-kind"}
	put(other, unknown, b)
	save(t, other, store.Key{Group: unknown.Group, Kind: unknown.Kind, Name: "unlabelled-of-unknown-kind"},
		store.Record{Owner: "uid-1", Instance: anInstance(password)})
	for i := range 2 * store.PageSize {
		put(other, store.Key{Group: otherKind.Group, Kind: otherKind.Kind, Name: fmt.Sprintf("of-several-%d", i)}, "d", "e")
	}
	kinds := []schema.GroupKind{{Group: key("a").Group, Kind: key("a").Kind}}
	for name, x := range map[string]struct {
		named store.Named
		want  []string
		more  int
	}{
		"one": {
			named: store.Named{Kinds: kinds, Objects: []string{a}}, want: []string{
				"both", "other-kind", "theirs", "unlabelled", "very-many",
			},
		},
		"two": {
			named: store.Named{Kinds: kinds, Objects: []string{a, b}},
			want:  []string{"another", "both", "other-kind", "theirs", "unknown-kind", "unlabelled", "very-many"},
		},
		"of another kind": {
			named: store.Named{
				Kinds: []schema.GroupKind{{Group: otherKind.Group, Kind: otherKind.Kind}}, Objects: []string{a},
			}, want: []string{"both", "other-kind", "theirs"},
		},
		"of no known kind":             {named: store.Named{Objects: []string{a}}, want: []string{"both", "other-kind", "theirs"}},
		"no such":                      {named: store.Named{Objects: []string{store.ObjectHash("test_other", "a")}}},
		"more than are listed at once": {named: store.Named{Objects: []string{"d"}}, more: 2 * store.PageSize},
		"many objects": {
			named: store.Named{Objects: append(hashes(2*store.FewObjects), a)}, want: []string{
				"both", "other-kind", "theirs",
			},
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
