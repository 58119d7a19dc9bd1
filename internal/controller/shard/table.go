package shard

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Configuration is what placement knows of a provider configuration.
type Configuration struct {
	Name string
	Account
	// Group is the name of a group that the user has put the configuration in; empty if none.
	Group string
}

// Account is what a configuration has in common with others of the same account, as hashes. An empty one is unknown.
type Account struct {
	Declared string `json:"declared,omitempty"`
	Content  string `json:"content,omitempty"`
}

// Placement is where a configuration belongs.
type Placement struct {
	Shard int `json:"shard"`
	Account
	Group string `json:"group,omitempty"`
}

// Table says which shard each provider configuration belongs to.
type Table struct {
	// Serial grows with each version of the table.
	Serial int64 `json:"serial"`
	// Key identifies the key of the hashes in accounts.
	Key string `json:"key,omitempty"`
	// Shards is the number of shards.
	Shards         int                  `json:"shards"`
	Configurations map[string]Placement `json:"configurations"`
}

// Of returns where a configuration belongs; false as long as nowhere.
func (t Table) Of(name string) (Placement, bool) {
	p, ok := t.Configurations[name]
	return p, ok
}

// Holds reports whether a configuration belongs to a shard, as the account that it has now.
func (t Table) Holds(shard int, name string, now Account) bool {
	p, ok := t.Of(name)
	return ok && p.Shard == shard && p.Account == now
}

// Assign returns the table in n shards with what is given of configurations, which may be new. Configurations of one account,
// and of one group, are in one shard: if they are in several, those in the shard of the first by name stay, and the others move.
// A configuration that is new goes to the shard with the fewest. All others stay where they are.
func (t Table) Assign(n int, given ...Configuration) Table {
	out := Table{Serial: t.Serial, Key: t.Key, Shards: n, Configurations: map[string]Placement{}}
	now := map[string]Configuration{}
	for name, p := range t.Configurations {
		now[name] = Configuration{Name: name, Account: p.Account, Group: p.Group}
	}
	for _, c := range given {
		if c.Group == "" {
			c.Group = t.Configurations[c.Name].Group
		}
		now[c.Name] = c
	}
	load := make([]int, n)
	place := func(names []string, k int) {
		for _, name := range names {
			c := now[name]
			out.Configurations[name] = Placement{Shard: k, Account: c.Account, Group: c.Group}
			load[k]++
		}
	}
	// Those that have a shard keep it, so that load is known before others are placed.
	var left [][]string
	for _, names := range together(now) {
		k := -1
		for _, name := range names {
			if p, ok := t.Of(name); ok && p.Shard < n && k == -1 {
				k = p.Shard
			}
		}
		if k == -1 {
			left = append(left, names)
			continue
		}
		place(names, k)
	}
	for _, names := range left {
		place(names, slices.Index(load, slices.Min(load)))
	}
	if !out.Equal(t) {
		out.Serial++
	}
	return out
}

// Join returns the table with configurations in one group, and therefore in one shard, for good.
func (t Table) Join(n int, given ...Configuration) Table {
	if len(given) < 2 {
		return t.Assign(n, given...)
	}
	first := slices.MinFunc(given, func(a, b Configuration) int { return strings.Compare(a.Name, b.Name) })
	group := cmp.Or(t.Configurations[first.Name].Group, first.Name)
	joined := map[string]bool{}
	changed := slices.Clone(given)
	for i, c := range changed {
		if g := t.Configurations[c.Name].Group; g != "" {
			joined[g] = true
		}
		changed[i].Group = group
	}
	for name, p := range t.Configurations {
		if joined[p.Group] && p.Group != group && !slices.ContainsFunc(given, func(c Configuration) bool { return c.Name == name }) {
			changed = append(changed, Configuration{Name: name, Account: p.Account, Group: group})
		}
	}
	return t.Assign(n, changed...)
}

// Rekeyed returns the table for hashes with another key, with which those in the table cannot be compared.
func (t Table) Rekeyed(key string) Table {
	if t.Key == key {
		return t
	}
	out := Table{Serial: t.Serial + 1, Key: key, Shards: t.Shards, Configurations: map[string]Placement{}}
	for name, p := range t.Configurations {
		p.Content = ""
		out.Configurations[name] = p
	}
	return out
}

// Equal reports whether two tables say the same.
func (t Table) Equal(other Table) bool {
	return t.Key == other.Key && t.Shards == other.Shards && maps.Equal(t.Configurations, other.Configurations)
}

// Changed returns the names of configurations that two tables place differently, sorted.
func (t Table) Changed(other Table) (names []string) {
	for name, p := range t.Configurations {
		if q, ok := other.Of(name); !ok || q.Shard != p.Shard {
			names = append(names, name)
		}
	}
	for name := range other.Configurations {
		if _, ok := t.Of(name); !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// together returns the names of configurations that have to be in one shard, each list and the lists sorted.
func together(all map[string]Configuration) [][]string {
	parent := map[string]string{}
	var root func(string) string
	root = func(x string) string {
		if parent[x] == x {
			return x
		}
		parent[x] = root(parent[x])
		return parent[x]
	}
	first := map[string]string{}
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		parent[name] = name
		c := all[name]
		for kind, value := range map[string]string{"declared": c.Declared, "content": c.Content, "group": c.Group} {
			if value == "" {
				continue
			}
			other, ok := first[kind+"\x00"+value]
			if !ok {
				first[kind+"\x00"+value] = name
				continue
			}
			// The smaller name is the root, so that the result does not depend on the order of the fields.
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
