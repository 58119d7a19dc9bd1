package pool

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

const (
	// longestNoRoom bounds the delay until there may be room for a server.
	longestNoRoom = 15 * time.Second
	// evictAfter is how long a server stays that is needed no more, also if others need its room:
	// starts cost processor time, and a user with many configurations must not use it up.
	evictAfter = 5 * time.Second
)

// room makes room for the server of an entry, by closing an idle one if there are as many as there
// may be. It returns why there is none. The mutex is held.
func (p *Pool) room(e *entry, now time.Time) *Failure {
	namespace := e.key.configuration.Namespace
	of := map[string]int{}
	all, isolated := 0, 0
	for _, other := range p.entries {
		n := len(other.retired)
		if other.current != nil || other.starting != nil {
			n++
		}
		all += n
		if e.of != nil && other.of == e.of {
			isolated += n
		}
		of[other.key.configuration.Namespace] += n
	}
	var why string
	switch most, ofOne := p.options.MaxServers, p.options.MaxServersPerNamespace; {
	case isolated >= maxIsolatedServers, isolated > 0 && !e.of.works.Load():
		why = "Resources that the provider worked on when it failed get processes of their own, and those that there may be are in use."
	case ofOne > 0 && namespace != "" && of[namespace] >= ofOne:
		if idle := p.leastUsed(now, func(n string) bool { return n == namespace }); idle != nil {
			p.evict(idle)
			break
		}
		why = "All provider processes that the namespace may have are in use."
	case most > 0 && all >= most:
		// Of those with the most, so that a tenant with many configurations does not cost others
		// their servers.
		if idle := p.leastUsed(now, func(n string) bool { return of[n] >= of[namespace] }); idle != nil {
			p.evict(idle)
			break
		}
		if idle := p.leastUsed(now, func(string) bool { return true }); idle != nil {
			p.evict(idle)
			break
		}
		if !first(of[namespace], all, most) {
			why = "All provider processes that there may be are in use."
		}
	}
	if why == "" {
		why = p.afford(e, now, of)
	}
	if why == "" {
		e.noRoom = time.Time{}
		return nil
	}
	if e.noRoom.IsZero() {
		e.noRoom = now
	}
	e.refused = now
	waited := now.Sub(e.noRoom)
	return &Failure{
		Reason: NoRoom, Diagnostics: diagnostic.Errorf("No room for the provider's process", "%s It is started when another one is idle.", why),
		RetryAt: now.Add(min(max(time.Second, waited/4), longestNoRoom)), Passing: waited < worthTelling,
	}
}

// first reports whether a server is the only one of its namespace, and may be started although
// there are as many as there may be: up to half as many more, so that tenants who use all of them
// do not block others.
func first(ofNamespace, all, most int) bool {
	return ofNamespace == 0 && all < most+(most+1)/2
}

// leastUsed returns the server without leases that was used longest ago, of those of namespaces
// that are wanted; nil if there is none that may be closed. The mutex is held.
func (p *Pool) leastUsed(now time.Time, wanted func(namespace string) bool) *member {
	var out *member
	for _, e := range p.entries {
		m := e.current
		if m == nil || m.leases > 0 || e.starting != nil || now.Sub(m.idleSince) < evictAfter || !wanted(e.key.configuration.Namespace) {
			continue
		}
		if out == nil || m.idleSince.Before(out.idleSince) {
			out = m
		}
	}
	return out
}

// evict closes a server without leases. The mutex is held.
func (p *Pool) evict(m *member) {
	p.stats.Evictions++
	p.options.Logger.V(1).Info("closing idle provider to make room for another one")
	m.entry.current = nil
	m.retiring = true
	p.end(m)
}
