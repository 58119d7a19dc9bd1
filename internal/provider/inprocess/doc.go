// Package inprocess runs a provider that is linked into this program.
//
// In: a function that returns a provider's server, of plugin protocol 5 or 6. Out: a
// provider.Server and a provider.Launcher that behave as those of plugin, without a child
// process and gRPC.
//
// A server that its function returns again while it is in use is refused: two provider
// configurations would share it.
//
// Each call has its own context, which ends with the call, because the servers of SDKv2 and mux
// have a goroutine per call that waits for it. A panic in a call ends the server, as it would end
// a process. The package never sets TF_LOG variables of this program.
package inprocess
