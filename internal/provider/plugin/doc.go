// Package plugin runs a provider's binary as a child process and calls it over gRPC, in plugin
// protocol 5 or 6 (contract § 1). A process that runs already can be attached instead.
//
// In: the path of a provider's binary, or the socket of a process. Out: a provider.Server, and the
// provider's output as structured logs. Files: launcher.go starts a process, handshake.go explains
// failed starts, process.go manages the process and cleans up after it, log.go reads its output,
// server.go implements provider.Server, and there is one file per kind of call. attach.go attaches
// a process, which several servers share: turns.go says whose turn it is, and guest.go makes calls
// wait for it.
//
// It never configures a provider, except that it repeats the configuration of an attached process
// when another server has used it. It never ends an attached process, never restarts a provider
// (pool does), and never decodes the values that it passes on, except that an absent value is sent
// as a msgpack null.
package plugin
