package shard

import (
	"maps"
	"slices"
)

// settled returns the table of configurations in n shards. The placements that are given have the
// shards of t, or none.
func (t Table) settled(n int, given map[string]Placement) Table {
	out := Table{Serial: t.Serial, Key: t.Key, Shards: n, Configurations: map[string]Placement{}}
	load := make([]int, n)
	place := func(units []Unit, k int) {
		for _, u := range units {
			p := out.Configurations[u.Configuration]
			if u.Type == Any {
				p.Shard = k
			} else {
				p.Types[u.Type] = TypePlacement{Shard: k, Group: p.Types[u.Type].Group}
			}
			out.Configurations[u.Configuration] = p
			if u.Type != Any || !p.ByType {
				load[k]++
			}
		}
	}
	// Those that have a shard keep it, so that load is known before others are placed.
	var left [][]Unit
	for _, names := range companies(given) {
		for _, units := range unitsOf(given, names, out.Configurations) {
			if k, ok := t.kept(n, units); ok {
				place(units, k)
			} else {
				left = append(left, units)
			}
		}
	}
	for _, units := range left {
		place(units, slices.Index(load, slices.Min(load)))
	}
	if !out.Equal(t) {
		out.Serial++
	}
	return out
}

// kept returns the first shard that one of some units has, and that is one of n.
func (t Table) kept(n int, units []Unit) (number int, ok bool) {
	for _, u := range units {
		p, ok := t.Of(u.Configuration)
		number := p.Shard
		if u.Type != Any {
			of, known := p.Types[u.Type]
			number, ok = of.Shard, known && p.ByType
		}
		if ok && number < n {
			return number, true
		}
	}
	return 0, false
}

// unitsOf returns what has to be in one shard of the configurations of one account. It adds them to
// out without their shards.
func unitsOf(given map[string]Placement, names []string, out map[string]Placement) (all [][]Unit) {
	byType := !slices.ContainsFunc(names, func(name string) bool {
		p := given[name]
		return !p.Split || p.Whole || p.Group != ""
	})
	types := map[string]bool{}
	groups := map[string][]string{} // of types, as labels
	var themselves []Unit
	for _, name := range names {
		for resourceType, of := range given[name].Types {
			types[resourceType] = true
			if of.Group != "" {
				groups[resourceType] = append(groups[resourceType], name+"\x00"+of.Group)
			}
		}
		themselves = append(themselves, Unit{name, Any})
	}
	for _, name := range names {
		p := given[name]
		p.ByType, p.Types = byType, map[string]TypePlacement{}
		for resourceType := range types {
			of, ok := given[name].Types[resourceType]
			if byType || ok && of.Group != "" {
				p.Types[resourceType] = TypePlacement{Group: of.Group}
			}
		}
		if len(p.Types) == 0 {
			p.Types = nil
		}
		out[name] = p
	}
	all = append(all, themselves)
	if !byType {
		return all
	}
	for _, list := range together(slices.Sorted(maps.Keys(types)), func(resourceType string) []string { return groups[resourceType] }) {
		var same []Unit
		for _, name := range names {
			for _, resourceType := range list {
				same = append(same, Unit{name, resourceType})
			}
		}
		all = append(all, same)
	}
	return all
}

// companies returns the names of configurations that are of one account or group, each list and the
// lists sorted.
func companies(all map[string]Placement) [][]string {
	return together(slices.Sorted(maps.Keys(all)), func(name string) (labels []string) {
		p := all[name]
		for kind, value := range map[string]string{"declared": p.Declared, "content": p.Content, "group": p.Group} {
			if value == "" {
				continue
			}
			labels = append(labels, kind+"\x00"+value)
		}
		return labels
	})
}

// together returns sorted names in lists: those with a label in common, directly or by way of
// others, are in one.
func together(names []string, labels func(name string) []string) [][]string {
	parent, first := map[string]string{}, map[string]string{}
	var root func(string) string
	root = func(x string) string {
		if parent[x] == x {
			return x
		}
		parent[x] = root(parent[x])
		return parent[x]
	}
	for _, name := range names {
		parent[name] = name
		for _, label := range labels(name) {
			other, ok := first[label]
			if !ok {
				first[label] = name
				continue
			}
			// The smaller name is the root, so that the result does not depend on the order of the
			// labels.
			a, b := root(name), root(other)
			parent[max(a, b)] = min(a, b)
		}
	}
	lists := map[string][]string{}
	for _, name := range names {
		lists[root(name)] = append(lists[root(name)], name)
	}
	out := make([][]string, 0, len(lists))
	for _, r := range slices.Sorted(maps.Keys(lists)) {
		out = append(out, lists[r])
	}
	return out
}
