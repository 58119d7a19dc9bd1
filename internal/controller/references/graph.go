package references

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Graph has the references between resources, and which resource waits for which. The zero value is
// empty. It is safe for concurrent use. The cost of a query does not depend on the number of
// resources.
//
// References to a resource of another namespace, and waiting for it, have no effect unless that
// resource permits them: else anybody could block its deletion, or notice its changes.
type Graph struct {
	mu sync.Mutex
	// permitted has the value of the annotation referable-from of each resource that has one.
	permitted map[store.Key]string
	// referrers is the inverse of targets, waiting that of awaited.
	targets, referrers, waiting edges
	awaited                     map[store.Key][]Where
	// reads and writes lead from resources, and provider configurations, to the Secrets that they
	// read and write, readers and writers back.
	reads, readers, writes, writers edges
}

// edges lead from resources to resources.
type edges map[store.Key]map[store.Key]bool

func (e *edges) add(from, to store.Key) {
	if *e == nil {
		*e = edges{}
	}
	if (*e)[from] == nil {
		(*e)[from] = map[store.Key]bool{}
	}
	(*e)[from][to] = true
}

func (e edges) remove(from, to store.Key) {
	delete(e[from], to)
	if len(e[from]) == 0 {
		delete(e, from)
	}
}

// replace replaces the edges from a resource, and the edges back. It returns the targets that were
// removed.
func replace(forth, back *edges, from store.Key, to []store.Key) (gone []store.Key) {
	for x := range (*forth)[from] {
		if !slices.Contains(to, x) {
			gone = append(gone, x)
			back.remove(x, from)
		}
	}
	delete(*forth, from)
	for _, x := range to {
		if x != from {
			forth.add(from, x)
			back.add(x, from)
		}
	}
	return gone
}

// Permits sets from which other namespaces a resource may be referred to, in the form of the
// annotation.
func (g *Graph) Permits(target store.Key, annotation string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if annotation == "" {
		delete(g.permitted, target)
		return
	}
	if g.permitted == nil {
		g.permitted = map[store.Key]string{}
	}
	g.permitted[target] = annotation
}

// mayRefer reports whether a resource may refer to another.
func (g *Graph) mayRefer(from, to store.Key) bool {
	return from.Namespace == to.Namespace || permits(g.permitted[to], from.Namespace)
}

// Refers sets what a resource refers to. It returns the resources that it does not refer to any
// more.
func (g *Graph) Refers(referrer store.Key, targets []store.Key) (freed []store.Key) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gone := replace(&g.targets, &g.referrers, referrer, targets)
	return slices.DeleteFunc(gone, func(x store.Key) bool { return !g.mayRefer(referrer, x) })
}

// Knows reports whether the graph has targets of a resource.
func (g *Graph) Knows(referrer store.Key) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.targets[referrer]) > 0
}

// Selecting returns the resources that select resources of a kind in a namespace, as Keys tells,
// while it is not known which.
func (g *Graph) Selecting(key store.Key) []store.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	key.Name = ""
	return slices.Collect(maps.Keys(g.referrers[key]))
}

// Drop removes what the resources of a kind refer to, wait for and permit.
func (g *Graph) Drop(kind schema.GroupKind) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of := func(key store.Key) bool { return key.Group == kind.Group && key.Kind == kind.Kind }
	for _, key := range slices.Collect(maps.Keys(g.targets)) {
		if of(key) {
			replace(&g.targets, &g.referrers, key, nil)
		}
	}
	for _, key := range slices.Collect(maps.Keys(g.awaited)) {
		if of(key) {
			g.awaits(key, nil)
		}
	}
	for _, e := range []struct{ forth, back *edges }{{&g.reads, &g.readers}, {&g.writes, &g.writers}} {
		for _, key := range slices.Collect(maps.Keys(*e.forth)) {
			if of(key) {
				replace(e.forth, e.back, key, nil)
			}
		}
	}
	maps.DeleteFunc(g.permitted, func(key store.Key, _ string) bool { return of(key) })
}

// Awaits sets what a resource waits for.
func (g *Graph) Awaits(referrer store.Key, all []Where) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.awaits(referrer, all)
}

func (g *Graph) awaits(referrer store.Key, all []Where) {
	for _, w := range g.awaited[referrer] {
		g.waiting.remove(w.Key, referrer)
	}
	delete(g.awaited, referrer)
	if len(all) == 0 {
		return
	}
	if g.awaited == nil {
		g.awaited = map[store.Key][]Where{}
	}
	g.awaited[referrer] = all
	for _, w := range all {
		g.waiting.add(w.Key, referrer)
	}
}

// Waiting returns the resources that wait for a resource with the given labels.
func (g *Graph) Waiting(key store.Key, has map[string]string) []store.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		return nil
	}
	out := slices.Collect(maps.Keys(g.waiting[key]))
	any := key
	any.Name = ""
	for referrer := range g.waiting[any] {
		selects := func(w Where) bool { return w.Key == any && labels.SelectorFromSet(w.Labels).Matches(labels.Set(has)) }
		if referrer != key && slices.ContainsFunc(g.awaited[referrer], selects) {
			out = append(out, referrer)
		}
	}
	return slices.DeleteFunc(out, func(referrer store.Key) bool { return !g.mayRefer(referrer, key) })
}

// Referrers returns the resources that refer to a resource, sorted. It leaves out those that the
// resource itself refers to, directly or indirectly: in a cycle none could be deleted first.
func (g *Graph) Referrers(key store.Key) []store.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	by := slices.DeleteFunc(g.referrers.from(key), func(x store.Key) bool { return !g.mayRefer(x, key) })
	return outsideCycles(key, by, func(x store.Key) []store.Key { return g.referable(x, g.targets.from(x)) })
}

// referable returns those of the given resources that one may refer to.
func (g *Graph) referable(from store.Key, all []store.Key) []store.Key {
	return slices.DeleteFunc(all, func(x store.Key) bool { return !g.mayRefer(from, x) })
}

// outsideCycles returns those of the given resources that a resource does not reach, each once and
// sorted.
func outsideCycles(key store.Key, of []store.Key, next func(store.Key) []store.Key) []store.Key {
	if len(of) == 0 {
		return nil
	}
	reached, todo := map[store.Key]bool{}, []store.Key{key}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, y := range next(x) {
			if !reached[y] {
				reached[y] = true
				todo = append(todo, y)
			}
		}
	}
	of = slices.DeleteFunc(of, func(x store.Key) bool { return reached[x] })
	slices.SortFunc(of, store.Key.Compare)
	return slices.Compact(of)
}
