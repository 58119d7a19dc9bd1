package references

import (
	"maps"
	"slices"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Secrets sets which Secrets of its namespace a resource reads, and which one it writes; empty if
// it writes none.
func (g *Graph) Secrets(resource store.Key, reads []string, writes string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	named := func(names ...string) (out []store.Key) {
		for _, name := range names {
			if name != "" {
				out = append(out, store.Key{Kind: "Secret", Namespace: resource.Namespace, Name: name})
			}
		}
		return out
	}
	replace(&g.reads, &g.readers, resource, named(reads...))
	replace(&g.writes, &g.writers, resource, named(writes))
}

// Writers returns the other resources that write the Secrets which a resource reads, sorted.
func (g *Graph) Writers(reader store.Key) []store.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	return across(reader, g.reads, g.writers)
}

// Dependents returns the resources that depend on the object of a resource, sorted: those that
// refer to the resource, and those that read the Secret that it writes. It leaves out those on
// which the resource itself depends, directly or indirectly: in a cycle none could be replaced
// first.
func (g *Graph) Dependents(key store.Key) []store.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.outsideCycles(key, slices.Concat(g.referrers.from(key), across(key, g.writes, g.readers)), func(x store.Key) []store.Key {
		return slices.Concat(g.targets.from(x), across(x, g.reads, g.writers))
	})
}

// across returns the other resources to which edges lead by way of Secrets, each once and sorted.
func across(from store.Key, there, back edges) []store.Key {
	var out []store.Key
	for secret := range there[from] {
		out = append(out, back.from(secret)...)
	}
	out = slices.DeleteFunc(out, func(x store.Key) bool { return x == from })
	slices.SortFunc(out, store.Key.Compare)
	return slices.Compact(out)
}

func (e edges) from(key store.Key) []store.Key { return slices.Collect(maps.Keys(e[key])) }
