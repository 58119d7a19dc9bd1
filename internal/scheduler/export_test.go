package scheduler

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// MakesSecrets is makesSecrets.
var MakesSecrets = makesSecrets

// Sizes returns how many entries and limits are held.
func (s *Scheduler) Sizes() (entries, limits int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.slots.byUID), len(s.limits.byConfiguration)
}

// EntriesOf returns how many entries a key has.
func (s *Scheduler) EntriesOf(k store.Key) int { return len(s.slotsOf(k)) }

// Shows reports whether a survey shows an object as its state says.
func Shows(ex terraform.Executor, r terraform.ResourceType, identity, state cty.Value) bool {
	x := surveyOf(context.Background(), ex, r, nil, time.Time{})
	return x.shows(r.Schema, identity, state)
}

// Surveys returns how many surveys are held.
func (s *Scheduler) Surveys() int {
	s.surveys.mu.Lock()
	defer s.surveys.mu.Unlock()
	return len(s.surveys.of)
}

// MaxSurveyed is maxSurveyed.
const MaxSurveyed = maxSurveyed

// IsSmall reports whether memory has nothing of a resource but what is needed of one at rest.
func (s *Scheduler) IsSmall(uid types.UID) bool {
	s.mu.Lock()
	x := s.slots.byUID[uid]
	s.mu.Unlock()
	x.turn.Lock()
	defer x.turn.Unlock()
	return x.entry == nil
}
