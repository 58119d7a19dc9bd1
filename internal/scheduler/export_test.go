package scheduler

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// CompareMade is compareMade, whose results are Proved, Stranger and Undecided.
var CompareMade = compareMade

const Proved, Stranger, Undecided = proved, stranger, undecided

// MakesSecrets is makesSecrets.
var MakesSecrets = makesSecrets

// Sizes returns how many entries and limits are held.
func (s *Scheduler) Sizes() (entries, limits int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries.byUID), len(s.limits.byConfiguration)
}

// EntriesOf returns how many entries a key has.
func (s *Scheduler) EntriesOf(k store.Key) int { return len(s.entriesOf(k)) }

// The inputs and chains of decisions.
type (
	ObserveInput = observeInput
	ApplyInput   = applyInput
	DeleteInput  = deleteInput
)

// What is decided.
func DecideObserve(in ObserveInput) string { return string(observeChain.decide(in)) }
func DecideApply(in ApplyInput) string     { return string(applyChain.decide(in)) }
func DecideDelete(in DeleteInput) string   { return string(deleteChain.decide(in)) }

// Values of inputs.
const (
	ViewRunning, ViewPlanned, ViewApplied = running, planned, applied

	ClaimedRecord, ClaimedRead, ClaimedPlan = claimedRecord, claimedRead, claimedPlan

	ReadUnchanged, ReadChanged = readUnchanged, readChanged

	AccountIsOpen, AccountIsOther = accountIsOpen, accountIsOther
)

// DeedsOfObserve, DeedsOfApply and DeedsOfDelete are the deeds of the rules of each chain.
func DeedsOfObserve() []string { return deeds(observeChain) }
func DeedsOfApply() []string   { return deeds(applyChain) }
func DeedsOfDelete() []string  { return deeds(deleteChain) }

func deeds[Input any](c chain[Input]) []string {
	var out []string
	for _, r := range c {
		out = append(out, string(r.deed))
	}
	return out
}

// LookInput is the input of the choice between a read and a survey.
type LookInput = lookInput

// Look is what a look does.
func Look(in LookInput) string {
	return map[verdict]string{readObject: "read", useSurvey: "use", newSurvey: "new"}[in.look()]
}

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
	e := s.entries.byUID[uid]
	s.mu.Unlock()
	e.turn.Lock()
	defer e.turn.Unlock()
	return e.awake == nil
}
