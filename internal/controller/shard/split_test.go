package shard_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
)

// history is what was ever asked of a table.
type history struct {
	split, whole map[string]bool
	// together are pairs of types of one configuration.
	together map[[3]string]bool
}

// companions reports whether two configurations are of one account, or in one group.
func companions(a, b shard.Placement) bool {
	return a.Declared != "" && a.Declared == b.Declared || a.Content != "" && a.Content == b.Content || a.Group != "" && a.Group == b.Group
}

// Whatever is asked of a table: what may be the same object is in one shard, a unit moves only to
// others that it has to be with, and the serial grows with each change.
func TestSplit(t *testing.T) {
	names, types := []string{"a", "b", "c", "d"}, []string{"q", "r", "s", "t"}
	rapid.Check(t, func(t *rapid.T) {
		var now shard.Table
		h := history{map[string]bool{}, map[string]bool{}, map[[3]string]bool{}}
		value := rapid.SampledFrom([]string{"", "", "x", "y"})
		n := rapid.IntRange(1, 4).Draw(t, "n")
		now = now.Assign(n)
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			some := rapid.SliceOfNDistinct(rapid.SampledFrom(types), 1, 2, rapid.ID[string]).Draw(t, "types")
			c := shard.Configuration{Name: name, Account: now.Configurations[name].Account, Types: some[:1]}
			var next shard.Table
			settles := false // what may move anything
			switch rapid.IntRange(0, 9).Draw(t, "do") {
			case 0:
				n, settles = rapid.IntRange(1, 4).Draw(t, "n"), true
				next = now.Assign(n)
			case 1:
				c.Account = shard.Account{Declared: value.Draw(t, "declared"), Content: value.Draw(t, "content")}
				next = now.Assign(n, c)
			case 2, 3, 4:
				split := rapid.IntRange(0, 3).Draw(t, "split") > 0
				next = now.Divide(n, name, split)
				if _, ok := now.Of(name); ok {
					h.split[name] = split
				}
			case 5:
				c.Types = some
				next = now.Join(n, c)
				if len(some) > 1 {
					h.together[[3]string{name, some[0], some[1]}] = true
				}
			case 6:
				if !rapid.Bool().Draw(t, "whole") {
					next = now
					break
				}
				c.Types = []string{shard.Any}
				next = now.Join(n, c)
				h.whole[name] = true
			case 7:
				other := shard.Configuration{Name: rapid.SampledFrom(names).Draw(t, "other"), Types: some}
				if other.Name == name {
					next = now
					break
				}
				other.Account, c.Types = now.Configurations[other.Name].Account, some
				next = now.Join(n, c, other)
				if _, placed := next.Belongs(shard.Use{Configurations: []string{name, other.Name}, Types: some}); !placed {
					t.Fatalf("%s and %s with %s are not together: %+v", name, other.Name, some, next)
				}
				if companions(now.Configurations[name], now.Configurations[other.Name]) &&
					next.Configurations[name].Group != now.Configurations[name].Group {
					t.Fatalf("%s and %s of one account are in a group", name, other.Name)
				}
				if len(some) > 1 {
					h.together[[3]string{name, some[0], some[1]}] = true
				}
			default:
				next = now.Join(n, c)
			}
			check(t, n, next, h, types)
			for _, x := range names {
				for _, of := range types {
					moves(t, now, next, settles || n != now.Shards, x, of)
				}
			}
			if next.Equal(now) != (next.Serial == now.Serial) || next.Serial < now.Serial {
				t.Fatalf("serial %d after %d", next.Serial, now.Serial)
			}
			if again := next.Assign(n); !again.Equal(next) || len(again.Changed(next)) > 0 {
				t.Fatalf("not stable: %v, then %v", next, again)
			}
			now = next
		}
	})
}

func check(t *rapid.T, n int, table shard.Table, h history, types []string) {
	all := append([]string{""}, types...)
	for x, p := range table.Configurations {
		for y, q := range table.Configurations {
			if x != y && !companions(p, q) {
				continue
			}
			for _, of := range all {
				a, known := table.Where(x, of)
				b, same := table.Where(y, of)
				if a != b || known != same {
					t.Fatalf("%s of %s is in %d (%t), and of %s in %d (%t)", of, x, a, known, y, b, same)
				}
				if at, _ := table.Where(x, ""); (h.whole[x] || !h.split[y]) && b != at {
					t.Fatalf("%s is in %d although %s is whole or %s is not split, which are in %d", of, b, x, y, at)
				}
				if a < 0 || a >= n {
					t.Fatalf("%s of %s is in %d of %d", of, x, a, n)
				}
			}
		}
		if p.ByType && (h.whole[x] || !h.split[x]) {
			t.Fatalf("%s is placed by type: %+v", x, p)
		}
	}
	for pair := range h.together {
		a, known := table.Where(pair[0], pair[1])
		b, same := table.Where(pair[0], pair[2])
		if a != b || known != same {
			t.Fatalf("%v are in %d (%t) and %d (%t)", pair, a, known, b, same)
		}
		if _, placed := table.Belongs(shard.Use{Configurations: pair[:1], Types: pair[1:]}); !placed {
			t.Fatalf("%v are not known to be together", pair)
		}
	}
	for x := range table.Configurations {
		if _, placed := table.Belongs(shard.Use{Configurations: []string{x}, Types: []string{shard.Any}}); placed != h.whole[x] {
			t.Fatalf("%s may be used for any type: %t", x, placed)
		}
	}
	// As it is stored, also for programs that know only whole configurations.
	stored, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	var read shard.Table
	if err := json.Unmarshal(stored, &read); err != nil || !read.Equal(table) && len(table.Configurations) > 0 {
		t.Fatalf("stored as %s, read as %v, %v", stored, read, err)
	}
}

// moves checks that what moves has a reason, and is told.
func moves(t *rapid.T, before, after shard.Table, settles bool, name, of string) {
	from, was := before.Where(name, of)
	to, is := after.Where(name, of)
	p, q := before.Configurations[name], after.Configurations[name]
	if was == is && from == to {
		return
	}
	if !slices.ContainsFunc(before.Changed(after), func(u shard.Unit) bool {
		return u.Configuration == name && (u.Type == shard.Any || u.Type == of)
	}) {
		t.Fatalf("%s of %s moves from %d (%t) to %d (%t), and no shard is told", of, name, from, was, to, is)
	}
	company := q.Types[of].Group != ""
	for other, o := range after.Configurations {
		company = company || other != name && companions(q, o)
	}
	if was && is && p.ByType == q.ByType && !company && !settles {
		t.Fatalf("%s of %s moves from %d to %d", of, name, from, to)
	}
}

// A huge account is spread, comes together again for a module, and is not spread again.
func TestSplitSpreads(t *testing.T) {
	of := func(name string, types ...string) shard.Configuration {
		return shard.Configuration{Name: name, Account: shard.Account{Declared: "huge"}, Types: types}
	}
	used := func(table shard.Table) map[int]int {
		load := map[int]int{}
		for _, resourceType := range []string{"q", "r", "s"} {
			number, _ := table.Where("x", resourceType)
			load[number]++
		}
		return load
	}
	place := func(table shard.Table) shard.Table {
		for _, resourceType := range []string{"q", "r", "s"} {
			table = table.Join(3, of("x", resourceType))
		}
		return table
	}
	one, each := map[int]int{0: 3}, map[int]int{0: 1, 1: 1, 2: 1}
	table := place(shard.Table{}.Assign(3, of("x"), of("y")).Divide(3, "x", true))
	if diff := cmp.Diff(one, used(table)); diff != "" {
		t.Error("one of two is split", diff)
	}
	table = place(table.Divide(3, "y", true))
	if diff := cmp.Diff(each, used(table)); diff != "" {
		t.Error("both are split", diff)
	}
	if table = place(table.Divide(3, "x", false)); cmp.Diff(one, used(table)) != "" {
		t.Error("one is not split any more", used(table))
	}
	if table = place(table.Divide(3, "x", true)); cmp.Diff(each, used(table)) != "" {
		t.Error("both are split again", used(table))
	}
	if table = place(table.Join(3, of("y", shard.Any))); cmp.Diff(one, used(table)) != "" {
		t.Error("a module uses the account", used(table))
	}
	if table = place(table.Divide(3, "x", false).Divide(3, "x", true)); cmp.Diff(one, used(table)) != "" {
		t.Error("a module has used the account", used(table))
	}
}

// A table of before there were types is read as it was: those that were used together are whole,
// and the others may be split.
func TestSplitOfOldTable(t *testing.T) {
	var old shard.Table
	stored := `{"serial":7,"key":"k","shards":2,"configurations":{"a":{"shard":1,"declared":"x"},"b":{"shard":0,"group":"b"},"c":{"shard":0,"group":"b"}}}`
	if err := json.Unmarshal([]byte(stored), &old); err != nil {
		t.Fatal(err)
	}
	if again := old.Assign(2); !again.Equal(old) || again.Serial != 7 {
		t.Errorf("changed without a reason: %+v", again)
	}
	next := old.Divide(2, "a", true).Divide(2, "b", true).Divide(2, "c", true)
	got := map[string]bool{}
	for name, p := range next.Configurations {
		got[name] = p.ByType
	}
	if diff := cmp.Diff(map[string]bool{"a": true, "b": false, "c": false}, got); diff != "" {
		t.Error(diff)
	}
	for _, resourceType := range []string{"q", "r"} {
		if at, ok := old.Where("a", resourceType); at != 1 || !ok {
			t.Errorf("%s is in %d, %t", resourceType, at, ok)
		}
		if at, ok := next.Where("a", resourceType); at != 1 || ok {
			t.Errorf("%s is decided by %d, %t", resourceType, at, ok)
		}
	}
}
