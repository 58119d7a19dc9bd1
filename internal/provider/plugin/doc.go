// Package plugin runs a released provider as a child process and speaks to it over gRPC,
// in plugin protocol 5 or 6 (contract § 1).
//
// In: the path of a provider's binary. Out: a provider.Server, and the provider's logs as
// structured ones. Files: launcher.go starts a process, handshake.go says what was wrong
// with one that did not start, process.go holds it and makes sure that nothing of it stays,
// log.go reads what it writes, server.go keeps it, and there is one file per kind of call.
//
// It never configures a provider, never restarts one (pool does), and never looks into the
// values that pass through, except that an absent one is sent as a msgpack null.
package plugin
