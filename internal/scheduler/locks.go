package scheduler

import (
	"slices"
	"sync"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// locks are locks of resources, whether they exist or not. The zero value has none locked.
type locks struct {
	mu sync.Mutex
	of map[store.Key]*lock
}

// lock is that of one resource, which several use.
type lock struct {
	turn
	users int
}

// lock locks two resources. Others do not wait, so that a provider that hangs while the object of
// one resource moves to another one keeps no others from moving.
func (x *locks) lock(one, other store.Key) (unlock func()) {
	keys := []store.Key{one, other}
	slices.SortFunc(keys, store.Key.Compare)
	keys = slices.Compact(keys)
	var all []*lock
	x.mu.Lock()
	for _, k := range keys {
		l := x.of[k]
		if l == nil {
			if l = (&lock{turn: newTurn()}); x.of == nil {
				x.of = map[store.Key]*lock{}
			}
			x.of[k] = l
		}
		l.users++
		all = append(all, l)
	}
	x.mu.Unlock()
	for _, l := range all {
		l.Lock()
	}
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		for i, k := range keys {
			all[i].Unlock()
			if all[i].users--; all[i].users == 0 {
				delete(x.of, k)
			}
		}
	}
}
