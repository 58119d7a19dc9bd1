package pool

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// worthTelling is the minimum duration of a failure that is reported.
const worthTelling = 10 * time.Second

// Reason is why there is no server.
type Reason string

// The reasons why there is no server.
const (
	// StartFailed means that the provider did not start. The error wraps a plugin.StartError.
	StartFailed Reason = "ProviderStartFailed"
	// InvalidConfig means that the provider rejected its configuration, or has no valid schema.
	InvalidConfig Reason = "ProviderConfigInvalid"
	// ConfigureFailed means that the configuration of the provider failed.
	ConfigureFailed Reason = "ProviderConfigureFailed"
	// Crashed means that the provider ended by itself, and is not started again yet.
	Crashed Reason = "ProviderCrashed"
	// Hung means that the provider did not answer, and is not started again yet.
	Hung Reason = "ProviderHung"
	// OutOfMemory means that the provider exceeded its memory limit, and is not started again yet.
	OutOfMemory Reason = "ProviderOutOfMemory"
	// Starting means that the provider is starting, or was started again and is being tried.
	Starting Reason = "ProviderStarting"
	// Throttled means that the provider's cloud throttles, or a limit is reached.
	Throttled Reason = "ProviderThrottled"
	// Unusable means that calls fail because of the credentials or the endpoint of the
	// configuration.
	Unusable Reason = "ProviderConfigUnusable"
	// NoRoom means that there are as many servers as there may be, and that all are in use.
	NoRoom Reason = "ProviderLimitReached"
	// Closed means that the pool was closed.
	Closed Reason = "PoolClosed"
)

// Failure is the error when there is no server.
type Failure struct {
	Reason Reason
	// Diagnostics has at least one error.
	Diagnostics diagnostic.Diagnostics
	// RetryAt is when the provider is started again; earlier attempts fail with the same failure.
	// Zero if another attempt does not help.
	RetryAt time.Time
	// Passing is set when the failure ends within seconds and need not be reported.
	Passing bool
	// OfResource is set when the provider has crashed repeatedly while it worked on the resource
	// alone, and works for others.
	OfResource bool
	// Err is the error of the launcher, if it failed.
	Err error
}

// RetryAfter returns the time until RetryAt, never negative.
func (f *Failure) RetryAfter() time.Duration { return max(time.Until(f.RetryAt), 0) }

func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Reason, f.Diagnostics.Errors()) }

// Unwrap returns the diagnostics, for diagnostic.As, and the error of the launcher.
func (f *Failure) Unwrap() []error {
	if f.Err != nil {
		return []error{f.Diagnostics.Err(), f.Err}
	}
	return []error{f.Diagnostics.Err()}
}

// notReady returns the failure when a server is starting or being tried, which began at since.
func notReady(since time.Time, detail string) *Failure {
	waited := time.Since(since)
	return &Failure{
		Reason: Starting, Diagnostics: diagnostic.Errorf("Provider is not ready", "%s", detail),
		RetryAt: time.Now().Add(max(time.Second, waited/4)), Passing: waited < worthTelling,
	}
}

func errThrottled(l *limiter, at time.Time) *Failure {
	f := &Failure{Reason: Throttled, RetryAt: at, Passing: time.Until(at) < worthTelling}
	if now := time.Now(); now.Before(l.pausedUntil) {
		f.Diagnostics = diagnostic.Errorf("Provider is throttled", "The provider reported that too many requests "+
			"are made with this provider configuration. It goes on, at a lower rate, at %s.",
			l.pausedUntil.UTC().Format(time.RFC3339))
	} else {
		f.Diagnostics = diagnostic.Errorf("Provider is throttled",
			"As much is done with this provider configuration as its limit of calls per second allows.")
	}
	return f
}

func errCancelled(ctx context.Context) *Failure {
	return &Failure{Reason: Starting, Diagnostics: provider.CallError(status.FromContextError(ctx.Err()).Err())}
}

func (k Key) failure() *Failure {
	return &Failure{
		Reason: InvalidConfig,
		Diagnostics: diagnostic.Errorf("Invalid provider configuration",
			"The provider configuration cannot be used: %s.", k.err),
	}
}

func errClosed() *Failure {
	return &Failure{
		Reason: Closed,
		Diagnostics: diagnostic.Errorf("Provider is being stopped",
			"No more providers are started, because this program ends."),
	}
}
