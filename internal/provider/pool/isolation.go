package pool

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// maxSuspects is the number of resources of one namespace that are suspected one by one, and of namespaces. With more of
	// them the namespace is suspected as a whole, or none: the provider itself fails then.
	maxSuspects = 8
	// maxApart is the number of servers that the suspects of a configuration have at once.
	maxApart = 4
	// crashesAlone is the number of crashes after which a resource is blamed that alone had calls in flight.
	crashesAlone = 2
	// blamedFor is the time after which a resource is tried again that is blamed for crashes.
	blamedFor = 15 * time.Minute
	// apartFor is how long a suspect that was cleared before stays apart at least, for each time, and rememberedFor how long
	// it is remembered that it was cleared.
	apartFor      = 10 * time.Minute
	rememberedFor = 6 * time.Hour
)

// suspects are the resources, and namespaces, whose calls were in flight when a server of their configuration crashed, hung,
// or had too much memory. Each has a server of its own, with a backoff of its own, so that all others go on. A suspect is
// cleared when all its calls have been answered; later if it was cleared before.
type suspects map[provider.User]*suspect

// suspect is a resource or, without Resource, a namespace.
type suspect struct {
	// methods are those of the calls that were in flight and have not been answered since.
	methods map[string]bool
	// crashes counts crashes during which nobody else had a call in flight.
	crashes int
	// revision is the revision of the resource that has crashed.
	revision string
	// accused is when the resource was suspected last, and times how often.
	accused time.Time
	times   int
	cleared bool
}

// find returns the suspect that a resource is, or is one of; nil if it is none.
func (s suspects) find(u provider.User) (provider.User, *suspect) {
	for _, u := range []provider.User{u, {Namespace: u.Namespace}} {
		if x := s[u]; x != nil && !x.cleared {
			return u, x
		}
	}
	return provider.User{}, nil
}

// accuse adds the resources of calls that may be the cause of a failure. It reports whether there is a new suspect. If not,
// or if there are too many, the cause is the provider or its configuration.
func (s *suspects) accuse(all map[call]bool, now time.Time) bool {
	for u, x := range *s {
		if x.cleared && now.Sub(x.accused) > rememberedFor {
			delete(*s, u)
		}
	}
	found := false
	for c := range all {
		if c.user == (provider.User{}) {
			continue
		}
		u, x := s.find(c.user)
		if x == nil {
			if u = s.room(c.user); u == (provider.User{}) {
				return false
			}
			if *s == nil {
				*s = suspects{}
			}
			if x = (*s)[u]; x == nil {
				x = &suspect{}
				(*s)[u] = x
			}
			x.methods, x.accused, x.cleared = map[string]bool{}, now, false
			x.times++
			found = true
		}
		x.methods[c.method] = true
	}
	return found
}

// room returns the suspect that a resource becomes: itself, its namespace in place of the others that are suspected of it,
// or the zero value if there are too many.
func (s suspects) room(u provider.User) provider.User {
	namespaces, of := map[string]bool{u.Namespace: true}, 0
	for x, suspect := range s {
		if suspect.cleared {
			continue
		}
		namespaces[x.Namespace] = true
		if x.Namespace == u.Namespace {
			of++
		}
	}
	switch {
	case len(namespaces) > maxSuspects, of >= maxSuspects && u.Namespace == "":
		return provider.User{}
	case of < maxSuspects:
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

// apart returns the entry that has the server for a resource: the configuration's, or one of its own if the resource is a
// suspect. A new revision of a resource is tried at once. The mutex is held.
func (p *Pool) apart(e *entry, u provider.User, revision string) *entry {
	u, s := e.suspects.find(u)
	if s == nil {
		return e
	}
	key := entryKey{e.key.hash, u}
	own := p.entries[key]
	if own == nil {
		own = &entry{of: e, suspect: u, limiter: e.limiter}
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

// clear clears a suspect that has a server of its own once all its calls have been answered.
func (p *Pool) clear(m *member, method string) {
	if m.entry.suspect == (provider.User{}) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := m.entry
	s := e.of.suspects[e.suspect]
	if s == nil || s.cleared {
		return
	}
	if delete(s.methods, method); len(s.methods) > 0 || time.Since(s.accused) < time.Duration(s.times-1)*apartFor {
		return
	}
	s.cleared, s.crashes = true, 0
	p.options.Logger.V(1).Info("provider answers what it was asked when it failed", "resource", e.suspect.Resource, "namespace", e.suspect.Namespace)
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
	case e.of != nil && !e.of.proven.Load() && now.Before(e.of.apart.retryAt):
		return e.of.apart.failure
	}
	return nil
}

// ended records the failure of a server. If resources are suspected of it that were not before, the others go on at once.
// The mutex is held.
func (p *Pool) ended(m *member, f *Failure) {
	e, now := m.entry, time.Now()
	if now.Sub(m.started) >= healthyFor {
		e.failures = 0
	}
	if e.of != nil {
		p.endedApart(e, f, now)
		return
	}
	calls := m.calls.suspicious(f.Reason, now)
	if !e.suspects.accuse(calls, now) {
		p.failed(&e.backoff, f)
		return
	}
	if e.proven.Swap(false) {
		e.accusations = 0
	}
	if e.accusations++; e.accusations > maxSuspects {
		p.failed(&e.backoff, f)
	} else {
		e.backoff = backoff{}
	}
	e.apart = backoff{}
	if u, alone := only(calls); alone && f.Reason == Crashed {
		if _, s := e.suspects.find(u); s != nil {
			s.crashes++
		}
	}
	p.options.Logger.Info("provider failed, and is started again; what it was asked last is asked in a process of its own",
		"reason", f.Reason, "suspects", len(e.suspects))
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

// endedApart records the failure of the server of a suspect. While the provider answers others, a resource is blamed for
// repeated crashes. Before it has, the provider itself may be broken, and all suspects share one backoff. The mutex is held.
func (p *Pool) endedApart(e *entry, f *Failure, now time.Time) {
	s := e.of.suspects[e.suspect]
	if s != nil && f.Reason == Crashed {
		s.crashes++
	}
	switch {
	case !e.of.proven.Load():
		p.failed(&e.of.apart, f)
	case s == nil || s.crashes < crashesAlone || e.suspect.Resource == "":
		p.failed(&e.backoff, f)
	default:
		blamed := diagnostic.Errorf("Provider crashes at this resource", "The provider's process has crashed %d times while it worked on "+
			"this resource alone, and works for others. Change the resource, or use another version of the provider.", s.crashes)
		e.retryAt = now.Add(blamedFor)
		e.failure = &Failure{Reason: Crashed, Blamed: true, RetryAt: e.retryAt, Diagnostics: append(blamed, f.Diagnostics...)}
		p.options.Logger.Info("provider crashes at a resource", "namespace", e.suspect.Namespace, "resource", e.suspect.Resource, "crashes", s.crashes)
	}
}
