package scheduler

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Sizes returns how many entries and limits are held.
func (s *Scheduler) Sizes() (entries, limits int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.places.byUID), len(s.limits.byConfiguration)
}

// EntriesOf returns how many entries a key has.
func (s *Scheduler) EntriesOf(k store.Key) int { return len(s.placesOf(k)) }

// IsSmall reports whether memory has nothing of a resource but what is needed of one at rest.
func (s *Scheduler) IsSmall(uid types.UID) bool {
	s.mu.Lock()
	x := s.places.byUID[uid]
	s.mu.Unlock()
	x.turn.Lock()
	defer x.turn.Unlock()
	return x.entry == nil
}
