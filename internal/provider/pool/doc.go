// Package pool keeps one running, configured server per distinct provider configuration.
//
// In: a launcher and a configuration. Out: a lease on a server that may be called. A server
// is started when it is first wanted, configured once (contract § 1), shared by all who want
// the same, and closed when nobody did for a while. One that has grown too large is replaced:
// new leases get a fresh server, and the old one is closed when its last lease was released, so
// no call is cut. Servers need that because a provider's framework may keep something of each
// call until it is stopped.
//
//	         Acquire              configured              grown
//	(none) ───────────▶ starting ────────────▶ current ───────────▶ retiring ──▶ closed
//	  ▲                    │ failed               │ crashed, hangs,     (last lease released)
//	  └──── backing off ◀──┴──────────────────────┘ too much memory, idle
//
// What goes wrong with one configuration stays there. A provider that does not start, crashes,
// hangs (health.go), or holds too much memory, is started again, later each time, and until then
// whoever wants it is told so at once, and when to come back. The first who comes back tries it,
// before others do. A provider whose cloud says that it is asked too often is left alone for a
// while, by all, and asked less often afterwards (limits.go).
//
// It never makes calls but those that configure and end a server, and one that asks whether it
// still answers; and never shows or logs a configuration.
package pool
