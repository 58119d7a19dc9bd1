package terraform

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// DefaultCreationGracePeriod is how long an object may be missing after its create: that of
// crossplane-runtime.
const DefaultCreationGracePeriod = 30 * time.Second

// Executor carries out Terraform operations on one resource instance. The returned instance is to
// be stored even with error diagnostics: it holds all that is known after the failure (contract §
// 3.7), and is the given one if nothing new is known.
type Executor interface {
	// Refresh brings the instance to the current schema and identity versions and reads the remote
	// object. If the object is gone, the returned instance does not exist. The instance may be
	// packed, and is returned so if the provider has sent the same bytes.
	Refresh(ctx context.Context, r ResourceType, in instance.Instance) (Refreshed, diagnostic.Diagnostics)
	// Validate asks the provider to validate the configuration.
	Validate(ctx context.Context, r ResourceType, config Config) diagnostic.Diagnostics
	// Plan returns what Apply has to do so that the object matches the configuration. It validates
	// the configuration first, unless Validated is set.
	Plan(ctx context.Context, r ResourceType, in instance.Instance, config Config) (Plan, diagnostic.Diagnostics)
	// PlanDestroy returns the plan that destroys the object.
	PlanDestroy(ctx context.Context, r ResourceType, in instance.Instance) (Plan, diagnostic.Diagnostics)
	// Apply carries out a plan whose Action is Create, Update or Delete. The caller carries out a
	// replacement as a Delete from PlanDestroy and a Create from a new Plan, so that each half is
	// recorded separately. After a create, OutcomeUnknown reports from the diagnostics whether an
	// object may exist that is not in the returned instance.
	Apply(ctx context.Context, p Plan) (instance.Instance, diagnostic.Diagnostics)
	// Import finds an existing object and reads it. Nothing is created.
	Import(ctx context.Context, r ResourceType, target ImportTarget) (instance.Instance, diagnostic.Diagnostics)
}

// Finder is implemented by executors of objects that consist of several.
type Finder interface {
	// Find looks for one of the objects that an object consists of, or could. Nothing is changed.
	Find(ctx context.Context, o Object) Found
}

// Found is what a look for an object has shown.
type Found struct {
	// Looked is set unless the object cannot be looked for.
	Looked, Exists bool
	// Made is what its provider has made of it.
	Made Made
}

// Upgrader is implemented by executors that can bring an instance to the current schema and
// identity versions without reading the remote object.
type Upgrader interface {
	Upgrade(ctx context.Context, r ResourceType, in instance.Instance) (instance.Instance, diagnostic.Diagnostics)
}

// Lister is implemented by executors that can list the objects of a resource type.
type Lister interface {
	// List returns the identities of at most limit objects. arguments are those of the type's list
	// resource. more is set if there may be further objects.
	List(
		ctx context.Context, r ResourceType, arguments map[string]cty.Value, limit int,
	) (identities []cty.Value, more bool, diags diagnostic.Diagnostics)
}

// StateLister is implemented by executors that can list the objects of a resource type with their
// states.
type StateLister interface {
	// ListStates calls each with the identity and the state of at most limit objects. arguments are
	// those of the type's list resource. The state is as a refresh would return it, except that the
	// list may not tell all attributes; it is cty.NilVal if the list tells none. more is set if
	// there may be further objects. With errors, objects may be missing.
	ListStates(
		ctx context.Context, r ResourceType, arguments map[string]cty.Value, limit int,
		each func(identity, state cty.Value),
	) (more bool, diags diagnostic.Diagnostics)
}

// Mover is implemented by executors that can turn an object into one of another resource type
// (contract § 3.11).
type Mover interface {
	// MoveResourceState returns the instance of type r that source becomes. Nothing is stored or
	// read. The result keeps the status and the flags of the source.
	MoveResourceState(ctx context.Context, r ResourceType, source MoveSource) (instance.Instance, diagnostic.Diagnostics)
}

// FunctionCaller is implemented by executors that can call the provider's functions.
type FunctionCaller interface {
	// CallFunction calls a function. Arguments are of the types of its parameters. The result is
	// wholly known.
	CallFunction(ctx context.Context, name string, arguments []cty.Value) (cty.Value, diagnostic.Diagnostics)
}

// DataReader is implemented by executors that can read data sources.
type DataReader interface {
	// ReadData validates the configuration of a data source, and reads it. r has the data source's
	// name and schema. The result is wholly known, and not null.
	ReadData(ctx context.Context, r ResourceType, config cty.Value) (Data, diagnostic.Diagnostics)
}

// Data is the result of a read of a data source.
type Data struct {
	// Value is of the implied type.
	Value cty.Value
	// Wire is the provider's own encoding, if it is msgpack.
	Wire []byte
}

// MoveSource is the object that MoveResourceState turns into one of another resource type.
type MoveSource struct {
	// ProviderAddress is the source address of the provider that made the object, such as
	// registry.terraform.io/hashicorp/null.
	ProviderAddress string
	// Schema is the schema of Instance. Its Type is the source's resource type; the rest may be
	// empty if the instance holds only raw values.
	Schema   *schema.Resource
	Instance instance.Instance
}

// ResourceType is the type of a resource instance.
type ResourceType struct {
	Schema *schema.Resource
	// ProviderMeta is sent with read, plan and apply; cty.NilVal for none.
	ProviderMeta cty.Value
}

// Refreshed is the result of Executor.Refresh.
type Refreshed struct {
	Instance instance.Instance
	// Unchanged is set when the provider's answer equals the stored state: there is nothing to
	// write or, for an unchanged configuration, to plan. Keep Instance in memory nevertheless: its
	// Wire makes the next refresh cheaper.
	Unchanged bool
	// Upgraded is the stored state in the current schema version. The object has changed where the
	// read state differs from it. cty.NilVal if there was nothing to read, or with errors.
	Upgraded cty.Value
	// IdentityUpgrade is set when the error is that the stored identity could not be upgraded to
	// the current version of its schema.
	IdentityUpgrade bool
}

// Config is the desired configuration of the object.
type Config struct {
	// Value is of the resource type's implied type, wholly known, write-only values included.
	Value cty.Value
	// Validated is set when the provider has accepted the same configuration before, so that Plan
	// need not validate it again.
	Validated bool
	// IgnoreChanges is Terraform's ignore_changes.
	IgnoreChanges IgnoreChanges
	// Reapply plans to set arguments again that are as configured already. Executors that cannot do
	// that ignore it.
	Reapply bool
	// CreateBeforeDestroy is the order of a replacement.
	CreateBeforeDestroy bool
	// PlannedPrivate are the private bytes of an earlier plan of the same change, which is planned
	// again; nil for a first plan (protocol 6.11). Executors that cannot send them ignore them.
	PlannedPrivate []byte
	// PreventDestroy rejects plans that destroy the object.
	PreventDestroy bool
	// SensitivePaths are sensitive because of the source of their values.
	SensitivePaths []cty.Path
	// Keeps are the addresses of contained objects that are not updated. Objects that are one
	// resource have none.
	Keeps []string
}

// IgnoreChanges is Terraform's ignore_changes: paths, or everything.
type IgnoreChanges struct {
	All   bool
	Paths []cty.Path
}

// ImportTarget is the existing object to import. Exactly one of the two is set.
type ImportTarget struct {
	// ID is the import id; empty when importing by identity.
	ID string
	// Identity is of the identity schema's implied type; cty.NilVal when importing by id.
	Identity cty.Value
}
