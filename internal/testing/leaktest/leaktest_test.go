package leaktest_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/leaktest"
)

// holder holds entries in all ways that Entries knows.
type holder struct {
	byName map[string][]int
	shared sync.Map
	next   *holder
	any    any
}

func TestEntries(t *testing.T) {
	h := &holder{byName: map[string][]int{"a": {1, 2}, "b": {3}}, any: map[int]bool{1: true}}
	h.next = h // a cycle ends
	h.shared.Store("a", []int{1})
	h.shared.Store("b", nil)
	got := map[string]int{}
	leaktest.Entries(reflect.ValueOf(h), "h", got)
	want := map[string]int{"h.byName": 2, "h.byName[]": 3, "h.shared": 2, "h.shared[]": 1, "h.any": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTexts(t *testing.T) {
	type names struct {
		by   map[string]any
		next *names
		left time.Month
	}
	n := &names{by: map[string]any{"a": []string{"b"}, "c": nil}}
	n.next = n
	var got []string
	leave := func(of reflect.Type) bool { return of == reflect.TypeFor[time.Month]() }
	leaktest.Texts(reflect.ValueOf(n), "n", leave, func(at, text string) { got = append(got, at+" "+text) })
	slices.Sort(got)
	if diff := cmp.Diff([]string{"n.by[] a", "n.by[] c", "n.by[][] b"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
