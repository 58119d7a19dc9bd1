// Package pool keeps one running, configured server per distinct provider configuration.
//
// In: a launcher and a configuration. Out: a lease on a server that may be called. A server is
// started on the first request, configured once (contract § 1), shared by all leases of the same
// configuration, and closed when it was idle for a while. A server that has grown too large is
// replaced: new leases get a fresh server, and the old one is closed after its last lease, so that
// no call is interrupted. The reason is that a provider's framework may keep memory of each call
// until it is stopped.
//
//	         Acquire              configured              grown
//	(none) ───────────▶ starting ────────────▶ current ───────────▶ retiring ──▶ closed
//	  ▲                    │ failed               │ crashed, hangs,     (last lease released)
//	  └──── backing off ◀──┴──────────────────────┘ too much memory, idle
//
// Failures of one configuration do not affect others. A provider that does not start, crashes,
// hangs (health.go) or uses too much memory is started again after a backoff. Until then, requests
// fail at once with the time of the next start. After that start one lease is given out first, to
// try the provider. If calls fail because of the credentials or the endpoint of a configuration, it
// is paused in the same way, without a restart (outage.go). A provider whose cloud rejects too many
// requests is paused, and leased at a lower rate afterwards (limits.go).
//
// Resources whose calls were in flight when a server failed get servers of their own, so that all
// others go on at once (isolation.go).
//
// A server that was started to read its schema can be offered to the pool, and is then the server
// of one configuration (spare.go).
//
// An operation that a user interrupts is left alone on its server, which is then told to stop
// (interrupt.go).
//
// It makes only the calls that configure, stop and end a server, and one that checks whether it
// answers. It never shows or logs a configuration.
package pool
