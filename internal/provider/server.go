package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/schema"
)

// Server is a running provider. It has every RPC of the plugin protocol; one that the provider does
// not implement returns an error for which IsUnimplemented is true. Calls may run in parallel. The
// context of a call must be cancellable. Cancelling it cancels the call at the provider, which may
// leave partially created objects (contract § 1).
type Server interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer

	// ProtocolVersion returns the major protocol version of the provider itself, 5 or 6.
	ProtocolVersion() int
	// Schema returns the provider's schema. The provider is asked once.
	Schema(ctx context.Context) (*schema.Provider, diagnostic.Diagnostics)
	// Done is closed when the server has crashed or was closed.
	Done() <-chan struct{}
	// Close calls StopProvider, waits for the calls in flight until ctx ends, and ends the server.
	// It leaves no process behind, and may be called more than once.
	Close(ctx context.Context) error
}

// Launcher starts servers of one provider.
type Launcher interface {
	// Launch starts a server. The server is not configured.
	Launch(ctx context.Context) (Server, error)
	// Key identifies the provider: the content of its binary, and its environment.
	Key() string
}

// VariablesReporter is implemented by launchers of servers with environment variables of their own.
// Variables returns them. They may be secret.
type VariablesReporter interface{ Variables() map[string]string }

// Usage is the resource usage of a server so far.
type Usage struct {
	// Calls is the number of calls that have ended.
	Calls int64
	// CPU is the processor time of the server's own process; 0 in process.
	CPU time.Duration
	// ResidentBytes is the resident memory of the server's own process; 0 in process.
	ResidentBytes int64
}

// UsageReporter is implemented by servers that know their usage.
type UsageReporter interface{ Usage() Usage }

// Redactor is implemented by servers that write logs. Redact removes secrets, such as those in the
// provider's configuration, from all later logs and errors.
type Redactor interface{ Redact(secrets ...string) }

// Aborter is implemented by servers that can be ended while calls are in flight.
type Aborter interface {
	// Abort ends the server at once. Calls in flight and later ones fail with an error for which
	// IsUnavailable is true and whose message is why, for users.
	Abort(why string)
}

// Excluder is implemented by servers that can hold calls back.
type Excluder interface {
	// Alone runs f while the server has no calls but those of f, which have its context. Calls that
	// come meanwhile wait. It waits for those in flight for a while at most: ran is false if there
	// still are some, or if the process may keep something between calls, such as an ephemeral
	// resource that is open. If f fails, all later calls fail.
	Alone(ctx context.Context, wait time.Duration, f func(context.Context) error) (ran bool, err error)
}

// IdentitySchemas returns the identity schemas of a server; nil if the provider does not implement
// the call.
func IdentitySchemas(ctx context.Context, s tfprotov6.ProviderServer) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	answer, err := s.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if IsUnimplemented(err) {
		return nil, nil
	}
	return answer, err
}
