package terraform

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// EphemeralOpener is implemented by executors that can open ephemeral resources (contract § 10).
type EphemeralOpener interface {
	// ValidateEphemeral asks the provider to validate a configuration, which is of the implied type
	// of the ephemeral resource type's schema.
	ValidateEphemeral(ctx context.Context, ephemeralType string, config cty.Value) diagnostic.Diagnostics
	// OpenEphemeral opens an ephemeral resource. It validates the configuration first, which must
	// be wholly known. With errors, nothing is left open that is known of. DeferralOf tells from
	// the diagnostics whether the provider defers it.
	OpenEphemeral(ctx context.Context, ephemeralType string, config cty.Value) (Opened, diagnostic.Diagnostics)
	// RenewEphemeral makes an open ephemeral resource last longer. With errors, what it returns is
	// what it was given, and it must not be renewed again.
	RenewEphemeral(ctx context.Context, ephemeralType string, open Open) (Open, diagnostic.Diagnostics)
	// CloseEphemeral ends an ephemeral resource. Its private bytes are of no use afterwards.
	CloseEphemeral(ctx context.Context, ephemeralType string, open Open) diagnostic.Diagnostics
}

// Open is what must be kept of an open ephemeral resource to renew and close it.
type Open struct {
	// Private are the provider's bytes. They may be as secret as the result.
	Private []byte
	// RenewAt is when the ephemeral resource must be renewed; zero if it need not.
	RenewAt time.Time
}

// Opened is an ephemeral resource that was opened.
type Opened struct {
	Open
	// Result is of the implied type of the schema, and wholly known. All of it is to be treated as
	// a secret, whatever the schema marks as sensitive.
	Result cty.Value
}
