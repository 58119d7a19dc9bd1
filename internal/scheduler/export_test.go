package scheduler

// MakesSecrets is makesSecrets.
var MakesSecrets = makesSecrets

// Sizes returns how many entries and limits are held.
func (s *Scheduler) Sizes() (entries, limits int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries.byUID), len(s.limits.byConfiguration)
}

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
