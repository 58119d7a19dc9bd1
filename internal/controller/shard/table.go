package shard

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Any is the type of what may have objects of any resource type, such as the instance of a module.
const Any = "*"

// Use is what a resource uses: all of some provider configurations, for each of some resource
// types. Without types, it is the configurations themselves.
type Use struct{ Configurations, Types []string }

// Unit is a provider configuration with one resource type, or with all if Type is Any.
type Unit struct{ Configuration, Type string }

// Configuration is what placement is told of a provider configuration.
type Configuration struct {
	Name string
	Account
	// Group is the name of a group that the user has put the configuration in; empty if none.
	Group string
	// Types are resource types that it is used for.
	Types []string
}

// Account is what a configuration has in common with others of the same account, as hashes. An
// empty one is unknown.
type Account struct {
	Declared string `json:"declared,omitempty"`
	Content  string `json:"content,omitempty"`
}

// Placement is where a configuration belongs.
type Placement struct {
	// Shard has the configuration itself, and its resources unless these are placed by type.
	Shard int `json:"shard"`
	Account
	Group string `json:"group,omitempty"`
	// Split is set if the user wants the resource types of the configuration to be placed one by
	// one. Whole is set as long as something uses it that may have objects of any type.
	Split bool `json:"split,omitempty"`
	Whole bool `json:"whole,omitempty"`
	// ByType is set if all configurations of the account are split and none of them is whole. Then
	// each resource type has a shard. Otherwise only those types are known that are in a group.
	ByType bool                     `json:"parted,omitempty"`
	Types  map[string]TypePlacement `json:"types,omitempty"`
}

// TypePlacement is where one resource type of a configuration belongs.
type TypePlacement struct {
	// Shard has no meaning unless the configuration is placed by type.
	Shard int `json:"shard"`
	// Group is the name of a group of types that are used together; empty if none.
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

// Where returns the shard that the resources of a type belong to which use a configuration. If they
// belong nowhere yet, ok is false, and the shard is that which decides; the first if the
// configuration is new. Without a type, it is that of the configuration itself.
func (t Table) Where(name, resourceType string) (number int, ok bool) {
	p, ok := t.Of(name)
	switch {
	case !ok || resourceType == "" || !p.ByType:
		return p.Shard, ok
	case resourceType == Any:
		return p.Shard, false
	}
	if of, ok := p.Types[resourceType]; ok {
		return of.Shard, true
	}
	return p.Shard, false
}

// Belongs returns the shard of what a resource uses, or that decides about it if placed is false:
// some of it is nowhere, or it is not known to be used together.
func (t Table) Belongs(use Use) (number int, placed bool) {
	first, placed := true, true
	for _, name := range use.Configurations {
		if _, ok := t.Of(name); !ok {
			placed = false
			continue
		}
		types := use.Types
		if len(types) == 0 {
			types = []string{""}
		}
		for _, resourceType := range types {
			at, ok := t.Where(name, resourceType)
			if first {
				number, first = at, false
			}
			placed = placed && ok && at == number
		}
		placed = placed && t.joined(name, use.Types)
	}
	return number, placed
}

// joined reports whether the types are known to be used together with a configuration, so that they
// stay together.
func (t Table) joined(name string, types []string) bool {
	p := t.Configurations[name]
	switch {
	case p.Whole:
		return true
	case slices.Contains(types, Any):
		return false
	case len(types) < 2:
		return true
	}
	group := p.Types[types[0]].Group
	return group != "" && !slices.ContainsFunc(types, func(of string) bool { return p.Types[of].Group != group })
}

// Holds reports whether the resources of a type that use a configuration belong to a shard, as the
// account that it has now.
func (t Table) Holds(number int, name, resourceType string, now Account) bool {
	at, ok := t.Where(name, resourceType)
	return ok && at == number && t.Configurations[name].Account == now
}

// Assign returns the table in n shards with what is given of configurations, which may be new.
// Configurations of one account, and of one group, are in one shard: if they are in several, those
// in the shard of the first by name stay, and the others move. If an account is placed by type,
// this holds for each resource type by itself, and a type of one configuration is one of all. What
// is new goes to the shard with the fewest. All others stay where they are.
func (t Table) Assign(n int, given ...Configuration) Table { return t.settled(n, t.with(given)) }

// with returns the configurations of the table with what is given.
func (t Table) with(given []Configuration) map[string]Placement {
	out := make(map[string]Placement, len(t.Configurations))
	for name, p := range t.Configurations {
		p.Types = maps.Clone(p.Types)
		out[name] = p
	}
	for _, c := range given {
		note(out, c)
	}
	return out
}

// note adds what is given of a configuration.
func note(all map[string]Placement, c Configuration) {
	p := all[c.Name]
	p.Account, p.Group = c.Account, cmp.Or(c.Group, p.Group)
	for _, resourceType := range c.Types {
		if resourceType == Any {
			p.Whole = true
			continue
		}
		if p.Types == nil {
			p.Types = map[string]TypePlacement{}
		}
		if !has(p.Types, resourceType) {
			p.Types[resourceType] = TypePlacement{}
		}
	}
	all[c.Name] = p
}

// Join returns the table with configurations and types in one shard, until Only ends that. Those
// that may have objects of any type are in one group. Others need none if they are of one account;
// their types are in a group, so that an account can stay placed by type.
func (t Table) Join(n int, given ...Configuration) Table {
	next := t.with(given)
	join(next, given)
	return t.settled(n, next)
}

// join puts configurations and types that are used together in groups.
func join(next map[string]Placement, given []Configuration) {
	if len(given) > 1 && !companions(next, given) {
		first := slices.MinFunc(given, func(a, b Configuration) int { return strings.Compare(a.Name, b.Name) })
		names := make([]string, len(given))
		for i, c := range given {
			names[i] = c.Name
		}
		unite(next, names, first.Name, func(p *Placement) *string { return &p.Group })
	}
	for _, c := range given {
		if types := next[c.Name].Types; len(c.Types) > 1 && !slices.Contains(c.Types, Any) {
			unite(types, c.Types, slices.Min(c.Types), func(p *TypePlacement) *string { return &p.Group })
		}
	}
}

// Only returns the table without what uses do not need: configurations that nothing uses, their
// types, and what put them together for uses that have ended. What was not in the table since stays
// as it is: the uses may be older. What is needed stays where it is, unless it is divided now.
func (t Table) Only(n int, uses []Use, since Table) Table {
	used := map[string]bool{}
	for _, u := range uses {
		for _, name := range u.Configurations {
			used[name] = true
		}
	}
	next := t.with(nil)
	for name, p := range next {
		switch {
		case !has(since.Configurations, name):
		case !used[name]:
			delete(next, name)
		default:
			p.Group, p.Whole, p.Types = "", false, nil
			next[name] = p
		}
	}
	for _, u := range distinct(uses) {
		var given []Configuration
		for _, name := range u.Configurations {
			if p, ok := next[name]; ok {
				given = append(given, Configuration{Name: name, Account: p.Account, Types: u.Types})
			}
		}
		for _, c := range given {
			note(next, c)
		}
		join(next, given)
	}
	return t.settled(n, next)
}

// distinct returns each of some uses once, in an order that depends on nothing else.
func distinct(uses []Use) []Use {
	all := map[string]Use{}
	for _, u := range uses {
		all[strings.Join(u.Configurations, "\x00")+"\x01"+strings.Join(u.Types, "\x00")] = u
	}
	out := make([]Use, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[key])
	}
	return out
}

// companions reports whether configurations are of one account or group, and are not used for any
// type.
func companions(all map[string]Placement, given []Configuration) bool {
	if slices.ContainsFunc(given, func(c Configuration) bool { return slices.Contains(c.Types, Any) }) {
		return false
	}
	return slices.ContainsFunc(companies(all), func(names []string) bool {
		return !slices.ContainsFunc(given, func(c Configuration) bool { return !slices.Contains(names, c.Name) })
	})
}

// unite puts those with keys in one group, together with all that are in a group with one of them.
// It is the group of the first, or named after it.
func unite[T any](all map[string]T, keys []string, first string, group func(*T) *string) {
	of := func(key string) string { x := all[key]; return *group(&x) }
	name, joined := cmp.Or(of(first), first), map[string]bool{}
	for _, key := range keys {
		joined[of(key)] = true
	}
	delete(joined, "")
	for key, x := range all {
		if slices.Contains(keys, key) || joined[*group(&x)] {
			*group(&x) = name
			all[key] = x
		}
	}
}

// Divide returns the table with a configuration split or not.
func (t Table) Divide(n int, name string, split bool) Table {
	next := t.with(nil)
	p, ok := next[name]
	if !ok {
		return t
	}
	p.Split = split
	next[name] = p
	return t.settled(n, next)
}

// Rekeyed returns the table for hashes with another key, with which those in the table cannot be
// compared.
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
	return t.Key == other.Key && t.Shards == other.Shards &&
		maps.EqualFunc(t.Configurations, other.Configurations, func(a, b Placement) bool { return reflect.DeepEqual(a, b) })
}

// Changed returns what two tables place differently, sorted.
func (t Table) Changed(other Table) (units []Unit) {
	for _, name := range union(t.Configurations, other.Configurations) {
		p, known := t.Of(name)
		q, still := other.Of(name)
		if known != still || p.ByType != q.ByType || p.Whole != q.Whole || p.Shard != q.Shard {
			units = append(units, Unit{name, Any})
			continue
		}
		for _, resourceType := range union(p.Types, q.Types) {
			if p.Types[resourceType] != q.Types[resourceType] || !has(p.Types, resourceType) || !has(q.Types, resourceType) {
				units = append(units, Unit{name, resourceType})
			}
		}
	}
	return units
}

func has[T any](of map[string]T, key string) bool {
	_, ok := of[key]
	return ok
}

// union returns the keys of both, sorted and each once.
func union[T any](a, b map[string]T) []string {
	return slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, of := range []map[string]T{a, b} {
			for key := range of {
				if !yield(key) {
					return
				}
			}
		}
	}))
}
