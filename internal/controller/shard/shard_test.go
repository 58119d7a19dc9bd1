package shard_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
)

func members(t *rapid.T) []string {
	return rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9]{1,8}`), 1, 8, rapid.ID[string]).Draw(t, "members")
}

// All shards are held by members, and no member has more than one more than another. The order in
// which they are seen makes no difference.
func TestHoldersAreBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, n := members(t), rapid.IntRange(1, 40).Draw(t, "n")
		got := shard.Holders(all, n)
		load := map[string]int{}
		for _, m := range all {
			load[m] = 0
		}
		for k, m := range got {
			if !slices.Contains(all, m) {
				t.Fatalf("shard %d is held by %q", k, m)
			}
			load[m]++
		}
		low, high := n, 0
		for _, l := range load {
			low, high = min(low, l), max(high, l)
		}
		if len(got) != n || high-low > 1 {
			t.Fatalf("loads %v", load)
		}
		if diff := cmp.Diff(got, shard.Holders(rapid.Permutation(all).Draw(t, "order"), n)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// When a member goes, most shards of the others stay: on average over many sets, fewer move between
// those that remain than the one that went had, and never all.
func TestHoldersMoveFew(t *testing.T) {
	const n = 24
	lost, moved := 0, 0
	for set := range 200 {
		var all []string
		for i := range 3 + set%4 {
			all = append(all, fmt.Sprintf("replica-%d-%d", set, i))
		}
		before := shard.Holders(all, n)
		after := shard.Holders(all[1:], n)
		for k := range n {
			switch {
			case before[k] == all[0]:
				lost++
			case before[k] != after[k]:
				moved++
			}
		}
	}
	if moved*2 > lost {
		t.Errorf("%d shards of those that went, and %d others moved", lost, moved)
	}
	if got := shard.Holders(nil, n); got != nil {
		t.Errorf("without members: %v", got)
	}
}

func configurations(t *rapid.T) (out []shard.Configuration) {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-f]`), 0, 6, rapid.ID[string]).Draw(t, "names")
	value := rapid.SampledFrom([]string{"", "x", "y", "z"})
	for _, name := range names {
		out = append(out, shard.Configuration{
			Name: name, Group: rapid.SampledFrom([]string{"", "", "", "g"}).Draw(t, "group"),
			Account: shard.Account{Declared: value.Draw(t, "declared"), Content: value.Draw(t, "content")},
		})
	}
	return out
}

// However configurations change: those of one account or group are in one shard, a configuration
// moves only to others of its account or group or when its shard is gone, and the same
// configurations change nothing.
func TestAssign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var now shard.Table
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			n, given := rapid.IntRange(1, 4).Draw(t, "n"), configurations(t)
			assign := now.Assign
			join := rapid.Bool().Draw(t, "join")
			if join {
				assign = now.Join
			}
			next := assign(n, given...)
			for name, p := range next.Configurations {
				if p.Shard < 0 || p.Shard >= n {
					t.Fatalf("%s is in shard %d of %d", name, p.Shard, n)
				}
				company := false
				for other, q := range next.Configurations {
					same := p.Declared != "" && p.Declared == q.Declared ||
						p.Content != "" && p.Content == q.Content || p.Group != "" && p.Group == q.Group
					if same && p.Shard != q.Shard {
						t.Fatalf("%s and %s belong together, and are in %d and %d", name, other, p.Shard, q.Shard)
					}
					company = company || same && other != name
				}
				if was, ok := now.Of(name); ok && was.Shard != p.Shard && was.Shard < n && !company {
					t.Fatalf("%s moves alone from %d to %d", name, was.Shard, p.Shard)
				}
			}
			for _, c := range given {
				p, ok := next.Of(c.Name)
				if !ok || !next.Holds(p.Shard, c.Name, "", c.Account) || next.Holds(p.Shard, c.Name, "", shard.Account{Declared: "other"}) {
					t.Fatalf("%s is placed as %v, %v", c.Name, p, ok)
				}
				if join && p.Shard != next.Configurations[given[0].Name].Shard {
					t.Fatalf("joined ones are in %d and %d", p.Shard, next.Configurations[given[0].Name].Shard)
				}
			}
			for name := range now.Configurations {
				if _, ok := next.Of(name); !ok {
					t.Fatalf("%s is lost", name)
				}
			}
			if next.Equal(now) != (next.Serial == now.Serial) || next.Serial < now.Serial {
				t.Fatalf("serial %d after %d", next.Serial, now.Serial)
			}
			if again := next.Assign(n, given...); !join && (!again.Equal(next) || len(again.Changed(next)) > 0) {
				t.Fatalf("not stable: %v, then %v", next, again)
			}
			now = next
		}
	})
}

// New configurations are spread evenly.
func TestAssignSpreads(t *testing.T) {
	var now shard.Table
	for i := range 30 {
		now = now.Assign(3, shard.Configuration{Name: fmt.Sprint("c", i), Account: shard.Account{Content: fmt.Sprint(i)}})
	}
	load := map[int]int{}
	for _, p := range now.Configurations {
		load[p.Shard]++
	}
	if diff := cmp.Diff(map[int]int{0: 10, 1: 10, 2: 10}, load); diff != "" {
		t.Error(diff)
	}
}

// Hashes of another key are not compared with those of this one. What is declared is no hash.
func TestRekeyed(t *testing.T) {
	of := func(content string) shard.Account { return shard.Account{Declared: "a", Content: content} }
	before := shard.Table{Key: "1"}.Assign(2, shard.Configuration{Name: "x", Account: of("c")})
	if after := before.Rekeyed("2"); after.Configurations["x"].Account != of("") || after.Key != "2" || after.Serial <= before.Serial {
		t.Errorf("%+v", after)
	}
	if !before.Rekeyed("1").Equal(before) {
		t.Error("the same key changes the table")
	}
}
