package scheduler

import (
	"cmp"
	"slices"
	"sync"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// This is what memory has of all resources together.

// corrections has the last correction of each resource that has made one.
type corrections struct {
	mu    sync.Mutex
	byKey map[store.Key]corrected
}

type corrected struct {
	object     ownership.Object
	correction correction
}

func (c *corrections) set(k store.Key, x corrected) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.correction == (correction{}) {
		delete(c.byKey, k)
		return
	}
	if c.byKey == nil {
		c.byKey = map[store.Key]corrected{}
	}
	c.byKey[k] = x
}

func (c *corrections) forget(k store.Key) { c.set(k, corrected{}) }

// reverse returns the resource that undoes the correction of another one, of the same object.
func (c *corrections) reverse(k store.Key) store.Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := c.byKey[k]
	for other, x := range c.byKey {
		if other != k && x.object == mine.object && x.correction.reverses(mine.correction) {
			return other
		}
	}
	return store.Key{}
}

// sameAccounts are the configurations that have shown to give access to the same account, by a name
// of each set of them. The zero value has none.
type sameAccounts struct {
	mu   sync.Mutex
	last int
	sets map[instance.Configuration]int
}

// join notes that two configurations are for the same account.
func (a *sameAccounts) join(one, other instance.Configuration) {
	one.Confirmed, other.Confirmed = "", ""
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sets == nil {
		a.sets = map[instance.Configuration]int{}
	}
	for _, c := range []instance.Configuration{one, other} {
		if a.sets[c] == 0 {
			a.last++
			a.sets[c] = a.last
		}
	}
	from, to := a.sets[other], a.sets[one]
	for c, set := range a.sets {
		if set == from {
			a.sets[c] = to
		}
	}
}

// joined reports whether two configurations are noted to be for the same account.
func (a *sameAccounts) joined(one, other instance.Configuration) bool {
	one.Confirmed, other.Confirmed = "", ""
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sets[one] != 0 && a.sets[one] == a.sets[other]
}

// stores are the pairs of provider configurations of which it is known whether they access one
// store. The zero value has none.
type stores struct {
	mu    sync.Mutex
	known map[[2]string]bool
	// undecided are pairs of which objects of a resource type have shown nothing.
	undecided map[undecidedPair]bool
}

type undecidedPair struct {
	pair         [2]string
	resourceType string
}

// undecides reports whether objects of a resource type have shown nothing of a pair.
func (s *stores) undecides(pair [2]string, resourceType string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.undecided[undecidedPair{pair, resourceType}]
}

func (s *stores) setUndecided(pair [2]string, resourceType string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.undecided == nil || len(s.undecided) >= maxKnownPairs {
		s.undecided = map[undecidedPair]bool{}
	}
	s.undecided[undecidedPair{pair, resourceType}] = true
}

// maxKnownPairs bounds the memory of pairs, most of which are of former contents.
const maxKnownPairs = 1 << 14

func (s *stores) get(pair [2]string) (one, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok = s.known[pair]
	return one, ok
}

// shared reports whether a provider configuration is known to access one store with another one.
func (s *stores) shared(by ownership.Access) bool {
	name := pairOf(by, by)[0]
	s.mu.Lock()
	defer s.mu.Unlock()
	for pair, one := range s.known {
		if one && slices.Contains(pair[:], name) {
			return true
		}
	}
	return false
}

func (s *stores) set(pair [2]string, one bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxKnownPairs {
		s.known = map[[2]string]bool{} // configurations change and go; the next looks compare again
	}
	s.known[pair] = one
}

// schemas are those of the kinds of which resources have claimed objects.
type schemas struct{ byKind sync.Map }

// note notes the schema of the kind of a resource.
func (x *schemas) note(k store.Key, s *schema.Resource) {
	at := store.Key{Group: k.Group, Kind: k.Kind}
	if was, ok := x.byKind.Load(at); !ok || was != s {
		x.byKind.Store(at, s)
	}
}

// of returns the schema of the kind of a resource; nil if it is not known.
func (x *schemas) of(k store.Key) *schema.Resource {
	s, _ := x.byKind.Load(store.Key{Group: k.Group, Kind: k.Kind})
	out, _ := s.(*schema.Resource)
	return out
}

// pairOf returns the key of a pair of provider configurations: their contents, so that nothing is
// known any more of one that changes.
func pairOf(a, b ownership.Access) [2]string {
	name := func(a ownership.Access) string { return cmp.Or(a.Account.Content, a.Configuration) }
	return [2]string{min(name(a), name(b)), max(name(a), name(b))}
}
