package discovery_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/discovery"
)

func identity(id, region string) cty.Value {
	text := func(s string) cty.Value {
		if s == "" {
			return cty.NullVal(cty.String)
		}
		return cty.StringVal(s)
	}
	return cty.ObjectVal(map[string]cty.Value{"id": text(id), "region": text(region)})
}

func TestOwners(t *testing.T) {
	t.Parallel()
	owner := func(name string, identity cty.Value) discovery.Owner {
		return discovery.Owner{Kind: "Thing", Namespace: "team", Name: name, Identity: identity}
	}
	owners := discovery.NewOwners([]discovery.Owner{
		owner("a", identity("1", "east")),
		owner("b", identity("1", "west")),
		owner("also-b", identity("1", "west")),
		owner("partial", identity("2", "")),
		owner("empty", identity("", "")),
		{Namespace: "team", Name: "named", ExternalName: "n", Identity: cty.NilVal},
		{Address: "thing.x", Identity: identity("4", "east")},
	})
	tests := map[string]struct {
		identity cty.Value
		want     []string
	}{
		"one":                       {identity("1", "east"), []string{"team/a"}},
		"two":                       {identity("1", "west"), []string{"team/b", "team/also-b"}},
		"another region":            {identity("1", "north"), nil},
		"another id":                {identity("3", "east"), nil},
		"one who has not read it":   {identity("2", "east"), []string{"team/partial"}},
		"not said which":            {identity("1", ""), []string{"team/a", "team/b", "team/also-b"}},
		"neither is whole":          {identity("2", ""), []string{"team/partial"}},
		"in a state":                {identity("4", "east"), []string{"thing.x"}},
		"of which nothing is known": {identity("", ""), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, o := range owners.Of(test.identity) {
				got = append(got, o.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
	if got := owners.Named("n"); len(got) != 1 || got[0].Name != "named" {
		t.Errorf("named: %v", got)
	}
	if got := owners.Named(""); got != nil {
		t.Errorf("named nothing: %v", got)
	}
}
