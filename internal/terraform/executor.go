package terraform

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// Executor carries out Terraform operations on one resource instance. With error
// diagnostics the returned instance is still the one to store: it holds all that is known
// after the failure (contract § 3.7), and is the given one where nothing new is known.
type Executor interface {
	// Refresh brings the instance to the current schema and identity versions and reads the
	// remote object. An object that is gone yields an instance that does not exist.
	Refresh(ctx context.Context, r ResourceType, in instance.Instance) (Refreshed, diagnostic.Diagnostics)
	// Validate asks the provider whether the configuration is acceptable.
	Validate(ctx context.Context, r ResourceType, config Config) diagnostic.Diagnostics
	// Plan says what Apply would do to bring the object to the configuration. It validates
	// the configuration first, unless that is Validated.
	Plan(ctx context.Context, r ResourceType, in instance.Instance, config Config) (Plan, diagnostic.Diagnostics)
	// PlanDestroy says what it takes to destroy the object.
	PlanDestroy(ctx context.Context, r ResourceType, in instance.Instance) (Plan, diagnostic.Diagnostics)
	// Apply carries out a plan whose Action is Create, Update or Delete. A Replace is carried
	// out by its caller, as a Delete of PlanDestroy and a Create of a new Plan, so that each half
	// is recorded by itself. After a create, OutcomeUnknown says of the diagnostics whether
	// there may be an object that is not in the returned instance.
	Apply(ctx context.Context, p Plan) (instance.Instance, diagnostic.Diagnostics)
	// Import finds an existing object and reads it. Nothing is created.
	Import(ctx context.Context, r ResourceType, target ImportTarget) (instance.Instance, diagnostic.Diagnostics)
}

// ResourceType is the type of a resource instance.
type ResourceType struct {
	Schema *schema.Resource
	// ProviderMeta is sent along with read, plan and apply; cty.NilVal is none.
	ProviderMeta cty.Value
}

// Refreshed is the result of Executor.Refresh.
type Refreshed struct {
	Instance instance.Instance
	// Unchanged says that the provider's answer is what is already stored: there is nothing
	// to write or, for an unchanged configuration, to plan. Instance is then worth keeping in
	// memory all the same: its Wire makes the next refresh cheaper.
	Unchanged bool
	// Upgraded is the stored state as a value of the current schema version. In what the read
	// state differs from it, the object has changed since. cty.NilVal when there was nothing to read, or
	// with errors.
	Upgraded cty.Value
	// IdentityUpgrade says of a refresh with errors that it was the stored identity that could
	// not be brought to the current version of its schema.
	IdentityUpgrade bool
}

// Config is what the user wants the object to be.
type Config struct {
	// Value is of the resource type's implied type, wholly known, write-only values included.
	Value cty.Value
	// Validated says that the provider has accepted this very configuration before, so that
	// Plan need not ask again.
	Validated bool
	// IgnoreChanges names what the user leaves to others, as Terraform's ignore_changes.
	IgnoreChanges IgnoreChanges
	// CreateBeforeDestroy orders the halves of a replacement.
	CreateBeforeDestroy bool
	// PreventDestroy refuses plans that destroy the object.
	PreventDestroy bool
	// SensitivePaths are sensitive because of where their values come from.
	SensitivePaths []cty.Path
}

// IgnoreChanges is Terraform's ignore_changes: paths, or everything.
type IgnoreChanges struct {
	All   bool
	Paths []cty.Path
}

// ImportTarget says which existing object to import: exactly one of the two is given.
type ImportTarget struct {
	// ID is the import id; empty when importing by identity.
	ID string
	// Identity is of the identity schema's implied type; cty.NilVal when importing by id.
	Identity cty.Value
}
