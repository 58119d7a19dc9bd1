package shard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
)

// Whatever names resources have used: those that none uses any more are gone from the table. What
// came since then stays.
func TestUnusedConfigurationsEnd(t *testing.T) {
	t.Parallel()
	table := shard.Table{}.Assign(3)
	var given []shard.Configuration
	for i := range 100 {
		name := fmt.Sprintf("aws.landbridge.io/ProviderConfig/mallory/n%d-%s", i, strings.Repeat("a", 240))
		given = append(given, shard.Configuration{Name: name, Account: shard.Account{Content: fmt.Sprint(i)}, Types: []string{"aws_thing"}})
	}
	table = table.Assign(3, given...)
	left := table.Only(3, []shard.Use{{Configurations: []string{given[7].Name}, Types: []string{"aws_thing"}}}, table)
	if len(left.Configurations) != 1 ||
		left.Configurations[given[7].Name].Shard != table.Configurations[given[7].Name].Shard ||
		left.Serial <= table.Serial {
		t.Errorf("left: %+v", left)
	}
	if got := table.Only(3, nil, shard.Table{}); !got.Equal(table) || got.Serial != table.Serial {
		t.Error("what came after the uses were seen has ended")
	}
}

// A resource that takes over objects from configurations of others puts all of them in one shard.
// When it is gone, they are as before, and a huge account is divided again.
func TestGroupsEnd(t *testing.T) {
	t.Parallel()
	const n, prod, own = 4, "g/ClusterProviderConfig//prod", "g/ProviderConfig/mallory/own"
	of := func(name string, types ...string) shard.Configuration {
		return shard.Configuration{Name: name, Account: shard.Account{Content: "of " + name}, Types: types}
	}
	table := shard.Table{}.Assign(n, of(prod)).Divide(n, prod, true)
	var uses []shard.Use
	for i := range 8 {
		name := fmt.Sprint("type", i)
		table = table.Join(n, of(prod, name))
		uses = append(uses, shard.Use{Configurations: []string{prod}, Types: []string{name}})
	}
	var others []string
	for i := range 6 {
		name := fmt.Sprintf("g/ClusterProviderConfig//other%d", i)
		table = table.Assign(n, of(name))
		others = append(others, name)
		uses = append(uses, shard.Use{Configurations: []string{name}})
	}
	shards := func(t shard.Table) map[int]bool {
		out := map[int]bool{}
		for _, name := range others {
			out[t.Configurations[name].Shard] = true
		}
		return out
	}
	joined := table
	for _, name := range append([]string{prod}, others...) {
		joined = joined.Join(n, of(name, "type0"), of(own, "type0"))
	}
	joined = joined.Join(n, of(prod, shard.Any))
	if p := joined.Configurations[prod]; p.ByType || !p.Whole || p.Group == "" || len(shards(joined)) != 1 {
		t.Fatalf("they are not together: %+v", joined)
	}
	after := joined.Only(n, append(uses, shard.Use{Configurations: []string{own}, Types: []string{"type0"}}), joined)
	if p := after.Configurations[prod]; !p.ByType || p.Whole || p.Group != "" || len(p.Types) != 8 {
		t.Errorf("the account is not divided again: %+v", p)
	}
	for name, p := range after.Configurations {
		if p.Group != "" {
			t.Errorf("%s is in the group %s", name, p.Group)
		}
	}
	if got := after.Only(n, uses, after); len(got.Configurations) != 7 {
		t.Errorf("left: %+v", got.Configurations)
	}
}

// What is used is placed as before, however much else ends. Nothing moves that is not divided anew.
func TestOnly(t *testing.T) {
	t.Parallel()
	names, types := []string{"a", "b", "c", "d"}, []string{"q", "r", "s"}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		table := shard.Table{}.Assign(n)
		var uses []shard.Use
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			u := shard.Use{
				Configurations: rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 2, rapid.ID[string]).Draw(t, "configurations"),
				Types:          rapid.SliceOfNDistinct(rapid.SampledFrom(types), 1, 2, rapid.ID[string]).Draw(t, "types"),
			}
			if rapid.IntRange(0, 5).Draw(t, "module") == 0 {
				u.Types = []string{shard.Any}
			}
			var given []shard.Configuration
			for _, name := range u.Configurations {
				given = append(given, shard.Configuration{Name: name, Account: table.Configurations[name].Account, Types: u.Types})
			}
			table = table.Join(n, given...)
			if rapid.Bool().Draw(t, "divide") {
				table = table.Divide(n, u.Configurations[0], true)
			}
			uses = append(uses, u)
		}
		kept := uses[:rapid.IntRange(0, len(uses)).Draw(t, "kept")]
		next := table.Only(n, kept, table)
		needed := map[string]bool{}
		for _, u := range kept {
			if _, placed := next.Belongs(u); !placed {
				t.Fatalf("%+v is placed nowhere: %+v", u, next)
			}
			for _, name := range u.Configurations {
				needed[name] = true
				if was, is := table.Configurations[name], next.Configurations[name]; was.Shard != is.Shard {
					t.Fatalf("%s moves from %d to %d", name, was.Shard, is.Shard)
				}
			}
		}
		if len(needed) != len(next.Configurations) {
			t.Fatalf("%v are needed, and there are %v", needed, next.Configurations)
		}
		if again := next.Only(n, kept, next); !again.Equal(next) || again.Serial != next.Serial {
			t.Fatalf("not stable: %s", cmp.Diff(next, again))
		}
	})
}
