package ownership_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

func TestOwners(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		claims map[string][]ownership.Claim
		want   map[string]ownership.Strength
	}{
		"none":              {},
		"weak":              {claims: map[string][]ownership.Claim{"a": {weak("1")}}},
		"of another object": {claims: map[string][]ownership.Claim{"a": {held("2")}}},
		"held and wanted": {
			claims: map[string][]ownership.Claim{"a": {held("1")}, "b": {wanted("1")}},
			want:   map[string]ownership.Strength{"a": ownership.Held, "b": ownership.Wanted},
		},
		"through several accounts": {
			claims: map[string][]ownership.Claim{"a": through(ownership.Held, "1", "account", "declared")},
			want:   map[string]ownership.Strength{"a": ownership.Held},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for by, claims := range test.claims {
				w.claim(by, 0, claims...)
			}
			on := object("1")
			other := on
			other.Account = "declared"
			got := map[string]ownership.Strength{}
			for _, c := range w.index.Owners([]ownership.Object{on, other}) {
				if _, twice := got[c.Key.Name]; twice {
					t.Errorf("%s is an owner twice", c.Key.Name)
				}
				got[c.Key.Name] = c.Strength
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
