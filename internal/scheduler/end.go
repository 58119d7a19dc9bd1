package scheduler

import (
	"cmp"
	"time"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

// end takes note of the outcome of an operation, and wakes the resource.
func (s *Scheduler) end(e *entry, r Request, t task, res result) {
	for _, event := range s.noteOutcome(e, r, t, res) {
		s.tell(r, event)
	}
	s.endBrake(&r, &t, &res)
	s.mu.Lock()
	gone := s.places.end(e.place)
	s.limits.done(r.ProviderConfiguration)
	s.mu.Unlock()
	s.count.Add(-1)
	if gone {
		s.o.Store.Forget(r.Key)
	}
	s.o.Wake(r.Key)
}

// noteOutcome makes the outcome what is known of the resource, and returns what is to be told of
// it.
func (s *Scheduler) noteOutcome(e *entry, r Request, t task, res result) []Event {
	e = e.lock()
	defer e.unlock()
	prior := e.record.Instance
	t.progress.End()
	if res.op.Kind == instance.Create && !res.undispatched {
		e.token = ""
	}
	e.accept(res)
	e.interrupted(t, res)
	if e.interruption == t.interruption {
		e.interruption = nil // its contexts are of no use any more
	}
	e.view.discard()
	e.noteIdentity(r, res)
	s.claimOutcome(e, r, res)
	why := s.explain(e, r, res)
	res.diags = append(res.diags.Warnings(), why.Diagnostics...)
	e.last = &Outcome{Kind: res.op.Kind, Generation: res.op.Generation, At: s.o.Clock.Now(), Diagnostics: res.diags}
	e.noteCreated(res)
	e.noteDestroyed(res, prior, e.last.At)
	e.noteUpdated(res, prior, e.last.At)
	e.noteApplied(&r, res, t.plan)
	if !res.diags.HasErrors() {
		e.flap.done(res.op.Kind, r.ConfigHash)
		if t.endsDrift() {
			e.undrifted()
		}
	}
	e.showApplied(r, res, s.flapping(e, &r))
	e.attempts.note(r, res, t.plan)
	s.noteFailure(e, res, r, t, why)
	events := res.events(t, t.because(r), e.ended == faultpoint.Destroy, e.last.At)
	if last := &events[len(events)-1]; last.Kind == Tainted {
		last.Exhausted = e.attempts.exhausts(&r)
	}
	if res.op.Kind == instance.Update && instance.IdentityChanged(prior, e.record.Instance) {
		events = append(events, Event{Kind: IdentityChanged, From: prior.Identity, To: e.record.Instance.Identity})
	}
	e.ended = t.process
	return events
}

// accept makes what the store holds the record in memory.
func (e *entry) accept(res result) {
	if res.record != nil {
		state := e.state
		if state == assumed && res.record.Version != "" {
			state = loaded // the first write did not conflict
		}
		e.setRecord(*res.record, state)
	} else {
		e.invalidate(conflicted)
	}
	if res.undispatched {
		e.undispatched, e.undispatchedAfter = res.op.ID, res.unresolved
	}
	if res.op.Kind != instance.Delete || res.diags.HasErrors() {
		return
	}
	if a := e.missing[res.op.Deposed]; a != nil && res.record != nil && res.record.Instance.Has(res.op.Deposed) {
		a.destroyed = true // as far as the provider knows
		return
	}
	delete(e.missing, res.op.Deposed)
}

// interrupted takes note of an interrupt that is not stored with the outcome.
func (e *entry) interrupted(t task, res result) {
	stored := res.record != nil && !res.undispatched
	if stored {
		e.unsaved.Interrupt, e.unsaved.Held = "", 0
	}
	token := t.interruption.Asked()
	if token == "" || stored && e.record.Handled.Interrupt == token {
		return
	}
	held := res.op.Generation
	if t.completes(res.diags) && !res.undispatched {
		held = 0
	}
	e.noteInterrupt(token, held)
}

// noteIdentity records the complete identity of an object whose planned one was partly known.
func (e *entry) noteIdentity(r Request, res result) {
	if res.op.Kind == instance.Create && e.record.Instance.Exists() {
		if r.naming().Learn(e.record.Instance, res.plannedState) == "" {
			e.complete(ownership.IdentityKey(r.Type.Schema, instance.Instance{Identity: res.planned}),
				ownership.IdentityKey(r.Type.Schema, e.record.Instance))
		}
	}
}

// claimOutcome claims what the operation left. If it left nothing, the claims stay until the next
// plan.
func (s *Scheduler) claimOutcome(e *entry, r Request, res result) {
	if res.record != nil && (e.record.Instance.Exists() || e.record.Instance.Operation != nil) {
		s.claim(e, r, e.record.Instance)
	}
	s.wake(e.claimant.End())
}

// explain returns why the operation failed. Its diagnostics are empty if it did not.
func (s *Scheduler) explain(e *entry, r Request, res result) *Error {
	if res.met.Exists() {
		return s.meets(e, r, res.met, res.handle)
	}
	return decision.Failed(cmp.Or(res.reason, decision.ReasonOperationFailed), res.diags)
}

// showApplied makes what a create or update left the next observation, unless it has to be read
// first.
func (e *entry) showApplied(r Request, res result, f *Flap) {
	if res.op.Kind == instance.Delete || res.record == nil || res.diags.HasErrors() || e.record.Instance.Status == instance.Partial {
		return
	}
	e.view = view{
		state: decision.Applied, configHash: r.ConfigHash, configurations: r.Configurations, unplanned: true,
		observation: &Observation{
			Instance: e.record.Instance, Plan: &upToDate, Last: e.last, Warnings: e.warnings(nil), Drift: e.drifts.found, Flap: f,
		},
	}
}

// failureOf returns the failures that an operation counts among.
func (e *entry) failureOf(op *instance.Operation) **failure {
	if op.Kind == instance.Delete && op.Deposed != "" {
		return &e.deposedFailed
	}
	return &e.failed
}

// noteFailure decides when an operation may be tried again.
func (s *Scheduler) noteFailure(e *entry, res result, r Request, t task, why *Error) {
	f, last := e.failureOf(res.op), e.last
	switch {
	case last.Failed():
		count := 0
		if before := *f; before != nil && before.of(r) {
			count = before.count
		}
		wait := s.o.MaxBackoff
		if count < 16 {
			wait = min(s.o.MinBackoff<<count, s.o.MaxBackoff)
		}
		if _, throttled := provider.Throttled(last.Diagnostics, r.said()); throttled || r.Paused != nil && r.Paused() {
			// The provider's pool delays all calls alike, so this failure does not count.
			wait, count = s.o.MinBackoff, count-1
		}
		*f = &failure{
			count: count + 1, basis: basisOf(&r), policies: r.Policies, approve: r.Asked.Approve, reapply: r.Asked.Reapply,
			retryAt: last.At.Add(wait), reason: why.Reason, diags: why.Diagnostics,
		}
		if res.op.Kind == instance.Create && e.record.Instance.Status == instance.Tainted {
			(*f).tainted = attemptsBasis(&r)
		}
		last.RetryAt = (*f).retryAt
	case t.replacement && t.deposed == "":
		// The delete is one half of a replacement, whose create may fail again and again.
		if *f != nil {
			(*f).retryAt = time.Time{}
		}
	default:
		*f = nil
	}
}

// events returns the events of the end of an operation.
func (res result) events(t task, because string, replacing bool, at time.Time) []Event {
	op := res.op
	event := Event{
		Kind: Succeeded, Operation: op.Kind, Deposed: op.Deposed, Took: at.Sub(op.StartedAt), Because: because,
		Replacement: t.replacement || replacing && op.Kind == instance.Create, Diagnostics: res.diags.Errors(),
	}
	if res.diags.HasErrors() {
		event.Kind = Failed
	}
	if res.record != nil {
		event.Instance = res.record.Instance
	}
	events := []Event{event}
	if op.Kind == instance.Create && res.record != nil && res.record.Instance.Status == instance.Tainted {
		events = append(events, Event{Kind: Tainted, Instance: res.record.Instance})
	}
	return events
}
