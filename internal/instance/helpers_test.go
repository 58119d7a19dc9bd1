package instance_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// equal compares instances. Absent values equal null, and empty bytes equal nil.
var equal = cmp.Options{
	cmp.Comparer(func(a, b cty.Value) bool {
		if a == cty.NilVal || b == cty.NilVal {
			return (a == cty.NilVal || a.IsNull()) && (b == cty.NilVal || b.IsNull())
		}
		return a.RawEquals(b)
	}),
	cmp.Comparer(func(a, b cty.Path) bool { return a.Equals(b) }),
	cmpopts.EquateEmpty(),
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

var _ fataler = (*testing.T)(nil)

func assertRoundTrip(t fataler, r *schema.Resource, in instance.Instance) {
	t.Helper()
	b, err := instance.Encode(in, r)
	if err != nil {
		t.Fatalf("encode: %s", err)
	}
	got, err := instance.Decode(b, r)
	if err != nil {
		t.Fatalf("decode: %s\n%s", err, b)
	}
	if diff := cmp.Diff(in, got, equal); diff != "" {
		t.Fatalf("%s\n%s", diff, b)
	}
	again, err := instance.Encode(got, r)
	if err != nil {
		t.Fatalf("encode again: %s", err)
	}
	if string(again) != string(b) {
		t.Fatalf("first %s\nthen %s", b, again)
	}
}
