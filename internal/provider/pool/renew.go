package pool

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// version returns the version of what the launcher would launch now.
func (c *Configuration) version() int64 {
	if r, ok := c.Launcher.(provider.Renewer); ok {
		return r.Version()
	}
	return 0
}

// deferringFor is how long a server that defers because of its configuration is used at least.
const deferringFor = time.Minute

// outdated reports whether a server launched now would differ, or may answer what this one defers.
// The mutex is held.
func (m *member) outdated(now time.Time) bool {
	return m.entry.key.configuration.version() != m.version || m.deferring.Load() && now.Sub(m.started) >= deferringFor
}

// renew replaces an outdated server: at once if it has no leases, else as soon as another one has
// started. The mutex is held.
func (p *Pool) renew(e *entry, now time.Time) {
	m := e.current
	if m == nil || e.starting != nil || !m.outdated(now) {
		return
	}
	switch {
	case m.leases == 0:
		p.options.Logger.V(1).Info("closing outdated provider")
		e.current, m.retiring = nil, true
		p.end(m)
	case now.Before(e.retryAt): // the replacement did not start
	default:
		p.options.Logger.V(1).Info("replacing outdated provider")
		p.start(e)
	}
}
