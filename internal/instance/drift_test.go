package instance_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

func never(cty.Path) bool { return false }

// What two reads have changed is as if it was one read.
func TestDriftAddsUp(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	object := func(a string, tags ...string) cty.Value {
		m := map[string]cty.Value{}
		for _, k := range tags {
			m[k] = cty.StringVal("x")
		}
		v := cty.MapValEmpty(cty.String)
		if len(m) > 0 {
			v = cty.MapVal(m)
		}
		return cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal(a), "tags": v})
	}
	first := instance.DriftAfter(nil, instance.Read{Before: object("1"), After: object("2"), Sensitive: never, At: at})
	if first == nil || !first.Found.Equal(at.Truncate(time.Second)) {
		t.Fatalf("the first read: %+v", first)
	}
	second := instance.DriftAfter(first, instance.Read{Before: object("2"), After: object("3", "k"), Sensitive: never, At: at.Add(time.Hour)})
	if second == nil || !second.Found.Equal(first.Found) || len(second.Changes) != 2 || !second.Has(cty.GetAttrPath("tags").IndexString("k")) {
		t.Fatalf("the second read: %+v", second)
	}
	if before := instance.Value(second.Changes[0].Before); !before.RawEquals(cty.StringVal("1")) {
		t.Errorf("before the first read it was %#v", before)
	}
	if after := instance.Value(second.Changes[0].After); !after.RawEquals(cty.StringVal("3")) {
		t.Errorf("now it is %#v", after)
	}
	if third := instance.DriftAfter(second, instance.Read{
		Before: object("3", "k"), After: object("1"), Sensitive: never, At: at,
	}); third != nil {
		t.Errorf("all is as before, and drifts: %+v", third)
	}
}

// Many changes are compared by attribute.
func TestDriftIsBounded(t *testing.T) {
	m := map[string]cty.Value{}
	for i := range 500 {
		m[fmt.Sprint(i)] = cty.StringVal("x")
	}
	object := func(v cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"tags": v}) }
	got := instance.Differences(object(cty.MapValEmpty(cty.String)), object(cty.MapVal(m)))
	if diff := cmp.Diff([]string{"tags"}, names(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// An element that is null is another value than one that is missing.
func TestDifferencesOfNullElements(t *testing.T) {
	object := func(v cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"tags": v}) }
	got := instance.Differences(object(cty.MapValEmpty(cty.String)), object(cty.MapVal(map[string]cty.Value{"a": cty.NullVal(cty.String)})))
	if diff := cmp.Diff([]string{"tags"}, names(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func names(paths []cty.Path) []string {
	var out []string
	for _, p := range paths {
		out = append(out, p[0].(cty.GetAttrStep).Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Two states are equal if and only if they have no differences, and each difference is one.
func TestDifferencesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := schematest.Block(t)
		a, b := schematest.Value(t, block), schematest.Value(t, block)
		paths := instance.Differences(a, b)
		if a.RawEquals(b) != (len(paths) == 0) {
			t.Fatalf("%#v and %#v differ in %v", a, b, paths)
		}
		for _, p := range paths {
			if x, err := p.Apply(a); err == nil {
				if y, err := p.Apply(b); err == nil && x.RawEquals(y) {
					t.Fatalf("%v is the same", p)
				}
			}
		}
	})
}
