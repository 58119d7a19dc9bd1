package scheduler

import (
	"cmp"
	"sync"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
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
}

func (s *stores) get(pair [2]string) (one, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok = s.known[pair]
	return one, ok
}

func (s *stores) set(pair [2]string, one bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[[2]string]bool{}
	}
	s.known[pair] = one
}

// pairOf returns the key of a pair of provider configurations: their contents, so that nothing is
// known any more of one that changes.
func pairOf(a, b ownership.Access) [2]string {
	name := func(a ownership.Access) string { return cmp.Or(a.Account.Content, a.Configuration) }
	return [2]string{min(name(a), name(b)), max(name(a), name(b))}
}
