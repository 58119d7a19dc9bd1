// Package plugin runs a provider's binary as a child process and calls it over gRPC, in plugin
// protocol 5 or 6 (contract § 1).
//
// In: the path of a provider's binary. Out: a provider.Server, and the provider's output as
// structured logs. Files: launcher.go starts a process, handshake.go explains failed starts,
// process.go manages the process and cleans up after it, log.go reads its output, server.go
// implements provider.Server, and there is one file per kind of call.
//
// It never configures a provider, never restarts one (pool does), and never decodes the values
// that it passes on, except that an absent value is sent as a msgpack null.
package plugin
