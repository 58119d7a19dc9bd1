package pool

import (
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/diagnostic"
)

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

func errClosed() *Failure {
	return &Failure{Reason: Closed, Diagnostics: diagnostic.Errorf("Provider is being stopped", "No more providers are started, because this program ends.")}
}
