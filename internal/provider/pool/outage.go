package pool

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// enough is the number of consecutive calls that fail because of the configuration after which
	// it is paused. A single object may have an endpoint or credentials of its own.
	enough = 3
	// longestOutage bounds the pause if an endpoint is not reachable. Rejected credentials are
	// tried less often, up to Options.MaxBackoff, since accounts may be locked.
	longestOutage = 30 * time.Second
	// trialFor is the time after which a lease that tries a paused configuration does not keep
	// others from trying: a create may take long.
	trialFor = 10 * time.Second
)

// outage is the state of a configuration whose calls fail because of its credentials or its
// endpoint. While it lasts, one lease at a time tries again, with growing delays. The first call
// that succeeds ends it for all. The pool's mutex guards it.
type outage struct {
	// failures counts consecutive calls, by whom they were made for.
	failures  int
	witnesses witnesses
	// failure is set while the configuration is paused.
	failure *Failure
	pauses  int
	// trial is the lease that tries, and trialEnds is closed at its end.
	trial      *Lease
	trialSince time.Time
	trialEnds  chan struct{}
}

// refuse returns the failure for a lease while the configuration is paused. ends is closed when the
// lease that tries has ended, so that others can try; it is nil if nothing is being tried.
func (o *outage) refuse(now time.Time) (f *Failure, ends <-chan struct{}) {
	switch {
	case o.failure == nil:
		return nil, nil
	case now.Before(o.failure.RetryAt):
		return o.failure, nil
	case o.trial != nil && now.Sub(o.trialSince) < trialFor:
		return notReady(o.trialSince, "The provider configuration did not work, and is being tried."), o.trialEnds
	}
	return nil, nil
}

// try makes a lease the one that tries a paused configuration.
func (o *outage) try(l *Lease, now time.Time) {
	if o.failure == nil {
		return
	}
	o.endTrial(o.trial)
	o.trial, o.trialSince, o.trialEnds = l, now, make(chan struct{})
}

// endTrial ends the trial of a lease.
func (o *outage) endTrial(l *Lease) {
	if l == nil || o.trial != l {
		return
	}
	close(o.trialEnds)
	o.trial, o.trialEnds = nil, nil
}

// tried records the answer to a call that uses the credentials and the endpoint of the
// configuration, and who it was made for. A success shows that they work. Without a user, the call
// is the program's own.
func (p *Pool) tried(m *member, u provider.User, diags diagnostic.Diagnostics, said provider.Said) {
	trouble, words := provider.TroubleOf(diags, said)
	if trouble == "" && !m.entry.troubled.Load() || p.options.KeepTrying {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o, now := &m.entry.outage, time.Now()
	if trouble != "" && u != (provider.User{}) {
		o.witnesses.add(u, now, now.Add(-usedFor))
	}
	switch {
	case trouble == "":
		if o.failure != nil {
			p.options.Logger.Info("provider configuration works again")
		}
		o.endTrial(o.trial)
		*o = outage{}
	case o.failure == nil && (o.failures+1 < enough || u != (provider.User{}) && !o.witnesses.prove(m.entry.users)):
		o.failures++
	case o.failure == nil || !now.Before(o.failure.RetryAt): // earlier calls may still fail during a pause
		o.pause(trouble, words, now, p.options)
		p.stats.Outages++
		p.options.Logger.Info("provider configuration does not work", "trouble", trouble, "because", words,
			"retryAfter", time.Until(o.failure.RetryAt).String())
	}
	m.entry.troubled.Store(trouble != "")
}

func (o *outage) pause(trouble provider.Trouble, words string, now time.Time, options Options) {
	most := options.MaxBackoff
	if trouble == provider.Unreachable {
		most = min(most, longestOutage)
	}
	wait := min(options.MinBackoff<<min(o.pauses, 16), most)
	o.pauses++
	o.failure = &Failure{
		Reason: Unusable, RetryAt: now.Add(wait), Passing: wait < worthTelling,
		Diagnostics: diagnostic.Errorf("Provider configuration does not work",
			"Calls with this provider configuration fail: %s (%q). One resource at a time tries it again, and all "+
				"others go on when it works.",
			trouble, words),
	}
}

// Paused reports whether calls with the configuration of a key fail because of its credentials or
// its endpoint.
func (p *Pool) Paused(key Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.entries[entryKey{hash: key.hash}]
	return e != nil && e.outage.failure != nil
}
