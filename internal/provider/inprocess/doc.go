// Package inprocess runs a provider that is linked into this program.
//
// In: the function that makes a provider's server, of plugin protocol 5 or 6. Out: a
// provider.Server and a provider.Launcher, with the same answers as those of plugin, and
// without a process or a wire between.
//
// It gives each call a context of its own that ends with the call, because the servers of
// SDKv2 and mux wait for that with a goroutine each. A call that panics is a crash of that
// server, as it would be of a process. It never sets TF_LOG variables of this program.
package inprocess
