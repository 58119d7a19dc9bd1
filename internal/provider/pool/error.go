package pool

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// worthTelling is how long something must last to be told.
const worthTelling = 10 * time.Second

// Reason is why no server could be had.
type Reason string

// The reasons for which no server can be had.
const (
	// StartFailed: the provider did not start. See plugin.StartError behind the error.
	StartFailed Reason = "ProviderStartFailed"
	// InvalidConfig: the provider refused its configuration, or has no valid schema.
	InvalidConfig Reason = "ProviderConfigInvalid"
	// ConfigureFailed: the provider could not work with its configuration.
	ConfigureFailed Reason = "ProviderConfigureFailed"
	// Crashed: the provider ended by itself, and is not started again yet.
	Crashed Reason = "ProviderCrashed"
	// Hung: the provider did not answer, and is not started again yet.
	Hung Reason = "ProviderHung"
	// OutOfMemory: the provider needed more memory than it may, and is not started again yet.
	OutOfMemory Reason = "ProviderOutOfMemory"
	// Starting: the provider is being started, or was started again and is being tried.
	Starting Reason = "ProviderStarting"
	// Throttled: the provider's cloud asked to be left alone, or a limit is reached.
	Throttled Reason = "ProviderThrottled"
	// Closed: the pool was closed.
	Closed Reason = "PoolClosed"
)

// Failure says why no server could be had.
type Failure struct {
	Reason Reason
	// Diagnostics has at least one error.
	Diagnostics diagnostic.Diagnostics
	// RetryAt is when the provider is started again; any try before fails with this same
	// failure. Zero when trying again does not help.
	RetryAt time.Time
	// Passing says that it is over within seconds, and not worth telling.
	Passing bool
	// Err is the error of the launcher, if that was it.
	Err error
}

// RetryAfter is how long it is until RetryAt, never negative.
func (f *Failure) RetryAfter() time.Duration { return max(time.Until(f.RetryAt), 0) }

func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Reason, f.Diagnostics.Errors()) }

// Unwrap finds the diagnostics, for diagnostic.As, and the error of the launcher.
func (f *Failure) Unwrap() []error {
	if f.Err != nil {
		return []error{f.Diagnostics.Err(), f.Err}
	}
	return []error{f.Diagnostics.Err()}
}

// notReady is why a server that there is, or soon will be, is not to be had. since is when
// that began.
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
		f.Diagnostics = diagnostic.Errorf("Provider is throttled", "The provider reported that too many requests are made with this provider configuration. It goes on, at a lower rate, at %s.",
			l.pausedUntil.UTC().Format(time.RFC3339))
	} else {
		f.Diagnostics = diagnostic.Errorf("Provider is throttled", "As much is done with this provider configuration as its limit of calls per second allows.")
	}
	return f
}

func errCancelled(ctx context.Context) *Failure {
	return &Failure{Reason: Starting, Diagnostics: provider.CallError(status.FromContextError(ctx.Err()).Err())}
}

func (k Key) failure() *Failure {
	return &Failure{Reason: InvalidConfig, Diagnostics: diagnostic.Errorf("Invalid provider configuration", "The provider configuration cannot be used: %s.", k.err)}
}

func errClosed() *Failure {
	return &Failure{Reason: Closed, Diagnostics: diagnostic.Errorf("Provider is being stopped", "No more providers are started, because this program ends.")}
}
