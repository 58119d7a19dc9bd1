package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/schema"
)

// Server is a provider that answers calls. Every RPC of the plugin protocol is there; one
// that this provider does not implement returns an error for which IsUnimplemented is true.
// Calls may run in parallel. A call's context must be cancellable, and cancelling it cancels
// the call at the provider, which may leave half-made objects: see contract § 1.
type Server interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer

	// ProtocolVersion is the major protocol version the provider really speaks, 5 or 6.
	ProtocolVersion() int
	// Schema is the provider's schema, asked for once and kept.
	Schema(ctx context.Context) (*schema.Provider, diagnostic.Diagnostics)
	// Done is closed when the server can answer no more calls: it crashed, or was closed.
	Done() <-chan struct{}
	// Close ends the server: StopProvider, wait for the calls in flight until ctx ends, then
	// make an end of it. It leaves no process behind and may be called more than once.
	Close(ctx context.Context) error
}

// Launcher starts servers of one provider.
type Launcher interface {
	// Launch starts a server. The server is not configured.
	Launch(ctx context.Context) (Server, error)
	// Key tells this launcher's provider from all others; it is stable as long as the
	// provider (its binary's content, its environment) is.
	Key() string
}

// Usage is what a server has cost so far.
type Usage struct {
	// Calls counts the calls answered.
	Calls int64
	// CPU is the processor time the server's own process has used; 0 in process.
	CPU time.Duration
	// ResidentBytes is the memory the server's own process holds; 0 in process.
	ResidentBytes int64
}

// UsageReporter is implemented by servers that can tell what they cost.
type UsageReporter interface{ Usage() Usage }

// Redactor is implemented by servers that write logs. Secrets given to it, such as those in
// the provider's configuration, do not appear in logs and errors made after that.
type Redactor interface{ Redact(secrets ...string) }

// Aborter is implemented by servers that can be ended while calls are in flight, whatever the
// provider is doing.
type Aborter interface {
	// Abort ends the server at once. Calls in flight, and all later ones, fail with an error of
	// which IsUnavailable is true and that says why, in words for a user.
	Abort(why string)
}
