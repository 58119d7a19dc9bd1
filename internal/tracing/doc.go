// Package tracing makes traces of reconciles: the reconcile, the operation that it requests, and in
// both the calls of the provider, the runs of the command line and the writes of stored state.
//
// In: the name of a part, and attributes that say what it is about. Out: spans in OpenTelemetry's
// protocol, sent to a collector. Until Export is called there are none, and nothing is allocated.
//
// A span never has values of a resource, nor messages of errors, which may quote secrets.
package tracing
