package pool

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// maxIsolated is the number of resources of one namespace that are isolated one by one, and of
	// namespaces with any. With more of them the whole namespace is isolated, or nothing further:
	// the provider itself fails then.
	maxIsolated = 8
	// maxIsolatedServers is the number of servers that the isolated resources of a configuration
	// have at once.
	maxIsolatedServers = 4
	// manyCrashes is the number of crashes after which a resource is reported as their cause, if it
	// alone had calls in flight.
	manyCrashes = 2
	// crashedFor is the time after which such a resource is tried again.
	crashedFor = 15 * time.Minute
	// isolatedFor is how long a resource stays isolated at least for each earlier time, and
	// rememberedFor is how long these times are remembered.
	isolatedFor   = 10 * time.Minute
	rememberedFor = 6 * time.Hour
)

// isolations are the resources, and namespaces, whose calls were in flight when a server of their
// configuration crashed, hung, or had too much memory. Each has a server of its own, with a backoff
// of its own, so that all others go on. An isolation ends when all these calls have been answered;
// later if the resource was isolated before.
type isolations map[provider.User]*isolation

// isolation is that of a resource or, without Resource, of a namespace.
type isolation struct {
	// methods are those of the calls that were in flight and have not been answered since.
	methods map[string]bool
	// crashes counts crashes during which no other resource had a call in flight.
	crashes int
	// revision is the revision of the resource that has crashed.
	revision string
	// since is when the resource was isolated last, and times how often. ended is set if it is not
	// isolated now.
	since time.Time
	times int
	ended bool
}

// find returns the isolation of a resource or of its namespace, and whose it is; nil if there is
// none.
func (s isolations) find(u provider.User) (provider.User, *isolation) {
	for _, u := range []provider.User{u, {Namespace: u.Namespace}} {
		if x := s[u]; x != nil && !x.ended {
			return u, x
		}
	}
	return provider.User{}, nil
}

// add isolates the resources of calls that may be the cause of a failure. It reports whether one
// was not isolated before. If none was, or if there are too many, the cause is the provider or its
// configuration.
func (s *isolations) add(all map[call]bool, now time.Time) bool {
	for u, x := range *s {
		if x.ended && now.Sub(x.since) > rememberedFor {
			delete(*s, u)
		}
	}
	added := false
	for c := range all {
		if c.user == (provider.User{}) {
			continue
		}
		_, x := s.find(c.user)
		if x == nil {
			u := s.unit(c.user)
			if u == (provider.User{}) {
				return false
			}
			if *s == nil {
				*s = isolations{}
			}
			if x = (*s)[u]; x == nil {
				x = &isolation{}
				(*s)[u] = x
			}
			x.methods, x.since, x.ended = map[string]bool{}, now, false
			x.times++
			added = true
		}
		x.methods[c.method] = true
	}
	return added
}

// unit returns what is isolated for a resource: itself, its namespace in place of its other
// resources, or the zero value if there are too many.
func (s isolations) unit(u provider.User) provider.User {
	namespaces, of := map[string]bool{u.Namespace: true}, 0
	for x, isolation := range s {
		if isolation.ended {
			continue
		}
		namespaces[x.Namespace] = true
		if x.Namespace == u.Namespace {
			of++
		}
	}
	switch {
	case len(namespaces) > maxIsolated, of >= maxIsolated && u.Namespace == "":
		return provider.User{}
	case of < maxIsolated:
		return u
	}
	for x := range s {
		if x.Namespace == u.Namespace {
			delete(s, x)
		}
	}
	return provider.User{Namespace: u.Namespace}
}

// configuration returns the entry of the configuration.
func (e *entry) configuration() *entry {
	if e.of != nil {
		return e.of
	}
	return e
}

// entryFor returns the entry that has the server for a resource: the configuration's, or one of its
// own if the resource is isolated. A new revision of a resource is tried at once. The mutex is
// locked.
func (p *Pool) entryFor(e *entry, u provider.User, revision string) *entry {
	u, s := e.isolated.find(u)
	if s == nil {
		return e
	}
	key := entryKey{e.key.hash, u}
	own := p.entries[key]
	if own == nil {
		own = &entry{of: e, user: u, limiter: e.limiter}
		p.entries[key] = own
	}
	own.key, own.of, own.limiter = e.key, e, e.limiter
	if u.Resource != "" && s.revision != revision {
		if s.revision != "" {
			s.crashes, own.backoff = 0, backoff{}
		}
		s.revision = revision
	}
	return own
}

// answeredIsolated ends an isolation once all calls have been answered for which it began.
func (p *Pool) answeredIsolated(m *member, method string) {
	if m.entry.user == (provider.User{}) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := m.entry
	s := e.of.isolated[e.user]
	if s == nil || s.ended {
		return
	}
	if delete(s.methods, method); len(s.methods) > 0 || time.Since(s.since) < time.Duration(s.times-1)*isolatedFor {
		return
	}
	s.ended, s.crashes = true, 0
	p.options.Logger.V(1).Info("provider answers what it was asked when it failed", "resource", e.user.Resource, "namespace", e.user.Namespace)
	if e.current == m && e.starting == nil && !p.closed {
		e.current, e.backoff = nil, backoff{}
		p.retire(m)
	}
}

// refuse returns the failure with which leases are refused during a backoff; nil if there is none.
func (e *entry) refuse(now time.Time) *Failure {
	switch {
	case e.current != nil || e.starting != nil:
		return nil
	case e.failure != nil && now.Before(e.retryAt):
		return e.failure
	case e.of != nil && !e.of.works.Load() && now.Before(e.of.isolatedBackoff.retryAt):
		return e.of.isolatedBackoff.failure
	}
	return nil
}

// ended records the failure of a server. If resources are isolated that were not before, the others
// go on at once. The mutex is locked.
func (p *Pool) ended(m *member, f *Failure) {
	e, now := m.entry, time.Now()
	if now.Sub(m.started) >= healthyFor {
		e.failures = 0
	}
	if e.of != nil {
		p.endedIsolated(e, f, now)
		return
	}
	calls := m.calls.unanswered(f.Reason, now)
	if !e.isolated.add(calls, now) {
		p.failed(&e.backoff, f)
		return
	}
	if e.works.Swap(false) {
		e.additions = 0
	}
	if e.additions++; e.additions > maxIsolated {
		p.failed(&e.backoff, f)
	} else {
		e.backoff = backoff{}
	}
	e.isolatedBackoff = backoff{}
	if u, alone := only(calls); alone && f.Reason == Crashed {
		if _, s := e.isolated.find(u); s != nil {
			s.crashes++
		}
	}
	p.options.Logger.Info("provider failed, and is started again; resources that it worked on have processes of their own",
		"reason", f.Reason, "isolated", len(e.isolated))
}

// only returns the resource that all calls are for; alone is false if there are others.
func only(all map[call]bool) (u provider.User, alone bool) {
	for c := range all {
		if alone && c.user != u {
			return u, false
		}
		u, alone = c.user, true
	}
	return u, alone
}

// endedIsolated records the failure of the server of an isolated resource. While the provider works
// for others, the resource is reported as the cause of repeated crashes. Otherwise the provider
// itself may be broken, and all isolated resources share one backoff. The mutex is locked.
func (p *Pool) endedIsolated(e *entry, f *Failure, now time.Time) {
	s := e.of.isolated[e.user]
	if s != nil && f.Reason == Crashed {
		s.crashes++
	}
	switch {
	case !e.of.works.Load():
		p.failed(&e.of.isolatedBackoff, f)
	case s == nil || s.crashes < manyCrashes || e.user.Resource == "":
		p.failed(&e.backoff, f)
	default:
		why := diagnostic.Errorf("Provider crashes at this resource", "The provider's process has crashed %d times while it worked on "+
			"this resource alone, and works for others. Change the resource, or use another version of the provider.", s.crashes)
		e.retryAt = now.Add(crashedFor)
		e.failure = &Failure{Reason: Crashed, OfResource: true, RetryAt: e.retryAt, Diagnostics: append(why, f.Diagnostics...)}
		p.options.Logger.Info("provider crashes at a resource", "namespace", e.user.Namespace, "resource", e.user.Resource, "crashes", s.crashes)
	}
}
