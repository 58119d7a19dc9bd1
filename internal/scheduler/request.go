package scheduler

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/tracing"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Acquire returns a provider for one call or operation. Callers must call release afterwards.
// Background operations call it too, so it must stay usable after the request was answered.
type Acquire func(ctx context.Context) (ex terraform.Executor, release func(), diags diagnostic.Diagnostics)

// Request is what the scheduler has to know of a custom resource.
type Request struct {
	Resource
	Access
	Desired
	Asked
	Hooks

	// Resting is set if Observe may answer with Rested.
	Resting bool
	// takes are the objects that the plan creates or imports among those that the instance consists
	// of.
	takes []terraform.Object
	// round is what Hooks.Before has returned for the operation.
	round string
	// sums makes the hashes of the configuration that are stored. It is set by placeOf.
	sums *keyed.Sums
	// origin is the span of the reconcile that requests an operation, and then that of the
	// operation.
	origin tracing.Origin
}

// Resource is a custom resource and its type.
type Resource struct {
	Key        store.Key
	UID        types.UID
	Generation int64
	// Type is the type of its object.
	Type terraform.ResourceType
	// Version is the resource version of the custom resource. It is part of the resource's Mark;
	// there is none if it is empty.
	Version string
	// Created is the creation time of the custom resource. If two claim the same remote object, the
	// older one owns it.
	Created time.Time
	// New is set when nothing was ever begun for the resource, so that nothing need be loaded from
	// the store. Deleted is set when it is being deleted. Both are set when a resource is deleted
	// that nothing was begun for.
	New     bool
	Deleted bool
	// Handles are the handles of objects that the configuration of the kind adds. It may be nil.
	Handles *ownership.Handles
	// Consists returns the objects that an instance consists of, and those that an interrupted
	// operation may have created; nil if an instance is one object.
	Consists Consists
}

// Access is how the remote object is accessed.
type Access struct {
	Acquire Acquire
	// Paused reports whether all operations of the provider configuration fail because of it, and
	// are delayed alike. It may be nil.
	Paused func() bool
	// ProviderConfiguration is the name of the provider configuration. Operations are bounded per
	// configuration.
	ProviderConfiguration string
	// Configurations are the objects in the cluster that the provider configuration is made of. An
	// approval is for them.
	Configurations []policy.Configuration
	// Provider is the provider's address and version, for the change record.
	Provider string
	// Release identifies the provider's release with its configuration in Landbridge. It is part of
	// the resource's Mark; there is none if it is empty.
	Release string
	// Account is what the provider configuration has in common with others. Identities are unique
	// within an account.
	Account ownership.Account
	// StoredAccount is what is stored of the account of the objects that the provider configuration
	// gives access to, or of those of all of Accesses; empty if it is not known.
	StoredAccount instance.Account
	// Upgrades is which upgrades of stored objects to the provider's version are confirmed.
	Upgrades Upgrades
	// Accesses are the provider configurations of the objects that an instance consists of, by
	// terraform.Object.Configuration.
	Accesses map[string]ownership.Access
}

// Desired is what a custom resource wants of its object.
type Desired struct {
	// Config is the desired object; nil when it is only observed or deleted. Its Value may be left
	// out, if Whole returns the configuration with it: most looks at an object do not need it. Use
	// Configuration.
	Config *terraform.Config
	Whole  func() *terraform.Config
	// ConfigHash changes whenever Config does.
	ConfigHash string
	// Policies limit the operations on the object.
	Policies desired.Policies
	// Poll is the interval between looks at an unchanged object.
	Poll time.Duration
	// CreateAttempts is the number of creates of the same configuration that may fail after they
	// have made an object. Then the last object stays until the configuration changes or a retry is
	// asked for. 0 is no limit.
	CreateAttempts int64
	// CreationGracePeriod is that of the resource; nil for the one of the Options.
	CreationGracePeriod *time.Duration
	// WithoutRefresh is set when a deletion destroys the object without reading it first.
	WithoutRefresh bool
	// Import is the request of spec.import. While the resource is being deleted, it only serves to
	// recover an interrupted create.
	Import desired.Import
	// MoveFrom is the resource whose object this one takes over; nil if it takes none over.
	MoveFrom *MoveFrom
	// Known is the object that the resource's annotations name; nil when they name none.
	Known *desired.KnownObject
	// NamedImport is the id by which the object can be imported as soon as it exists.
	NamedImport translate.NamedImport
	// CreateToken is the argument that makes creates idempotent; nil if there is none.
	CreateToken *desired.CreateToken
	// ListArguments returns the arguments with which the objects are listed among which a planned
	// one is, or the one that is not known. If it is set, the object of an interrupted create may
	// be found by listing. It may be nil.
	ListArguments func(planned cty.Value) (arguments map[string]cty.Value, missing string)
	// ListRefresh is how an unchanged object is looked at by listing; nil if it is read.
	ListRefresh *ListRefresh
	// Timeouts bound the operations. DefaultTimeouts apply where neither Timeouts nor the arguments
	// of the object specify any.
	Timeouts, DefaultTimeouts desired.Timeouts
	// Cascade is what a replacement of the object destroys with it.
	Cascade Cascade
}

// Asked is what annotations request, and what their status tells of it.
type Asked struct {
	// Tokens are those of annotations that request something.
	store.Tokens
	// Told is what the status tells as handled: the taint token, and the approval that was used
	// last. A record from a backup may not know of them.
	Told store.Tokens
	// LookRequested changes whenever a look at the resource is requested, which then reads the
	// object.
	LookRequested string
	// ConfirmCreate is the id of an operation of unknown outcome. The user confirms that a new
	// create is safe.
	ConfirmCreate string
	// ConfirmAccount is the account that the user has confirmed to be the one that the resource is
	// for.
	ConfirmAccount string
	// Author is who has made the generation of the spec; empty if that is not known.
	Author history.Author
	// Consented is set when Delete is part of the replacement of another object, whose plan was
	// approved if it had to be.
	Consented bool
}

// Hooks are what the scheduler asks and tells about a resource.
type Hooks struct {
	// Marked reports whether an earlier process has left a mark. It may be nil: there are none.
	Marked func(Mark) bool
	// SpellImport returns the spec.import that would import an object. It may be nil.
	SpellImport func(terraform.ImportTarget) string
	// AllClaimed reports whether the objects of all resources of the type are claimed. Until then,
	// nothing is imported, and nothing is told of an object that is only observed. nil means they
	// are.
	AllClaimed func() bool
	// Here returns an error unless the resource, as the API server has it now, is one to work on
	// here. It is nil where the work is not divided among shards.
	Here func(ctx context.Context) error
	// Decide returns what policies decide about a plan. It may be nil, and there are none.
	Decide func(context.Context, *terraform.Plan) (policy.Verdict, error)
	// Brake is what the brake has to know of the resource; nil if nothing limits how much is
	// destroyed.
	Brake *Brake
	// Stopped returns why no operation may begin now; empty if one may. It may be nil: one always
	// may.
	Stopped func() string
	// Dependents returns an error unless the resources that refer to the object are ready for a
	// step of its replacement. The observation is the one that the step follows from. It may be
	// nil: there are none.
	Dependents func(context.Context, ReplacementStep, *Observation) error
	// Before is called when an operation that is a change, or a part of one, would begin. With an
	// error it does not. round identifies what the operation belongs to; empty for nothing. It is
	// noted in the record (store.Tokens). Before anything is done that belongs to the change, brake
	// is asked, whose error is returned: what has begun is not held. Before may be nil.
	Before func(ctx context.Context, change terraform.Action, brake func() error) (round string, _ error)
	// Describe returns which fields differ between two instances, and the errors as a message, both
	// without secrets, for the change record. It may be nil: nothing is described.
	Describe func(before, after instance.Instance, diags diagnostic.Diagnostics) (changes []history.Change, message string)
	// DescribeDrift returns what was changed of an object, without secrets. It may be nil.
	DescribeDrift func(*instance.Drift, instance.Instance) []history.Change
	// Tell is called with each event of the resource. It may be nil, and must neither block nor
	// call the scheduler.
	Tell func(Event)
}

// said returns what the request contains and an error may quote.
func (r *Request) said() (said provider.Said) {
	if c := r.Configuration(); c != nil {
		said.Add(c.Value)
	}
	if target := r.Import.Target; target != nil {
		said.Add(target.Identity)
		said.AddText(target.ID)
	}
	return said
}

// Configuration returns Config, with its Value; nil if there is none.
func (r *Request) Configuration() *terraform.Config {
	r.Config = wholeOf(r.Config, r.Whole)
	return r.Config
}

// configuration returns a function that returns Configuration. The request is not kept for it, so
// that it is not allocated on the heap.
func (r *Request) configuration() func() *terraform.Config {
	config, whole := r.Config, r.Whole
	return func() *terraform.Config {
		config = wholeOf(config, whole)
		return config
	}
}

// wholeOf returns a configuration with its Value.
func wholeOf(config *terraform.Config, whole func() *terraform.Config) *terraform.Config {
	if config != nil && config.Value == cty.NilVal && whole != nil {
		return whole()
	}
	return config
}

// Error is the reason why a request cannot be carried out, and Reason classifies it.
type (
	Error  = decision.Error
	Reason = decision.Reason
)

// Brake is what the brake has to know of a resource.
type Brake struct {
	// Scope is that of the account. Limit returns its limit, or that of the resource's namespace,
	// which is own then.
	Scope     brake.Scope
	Namespace string
	Limit     func(context.Context) (limit brake.Limit, own bool)
	// Deleted is when the resource was deleted; zero if it was not. Held is since when its status
	// tells that the brake holds; zero if it does not.
	Deleted, Held time.Time
}

// ListRefresh is how unchanged objects are looked at by listing.
type ListRefresh struct {
	// Arguments returns the arguments of the list that an object is in. missing is one that is not
	// known.
	Arguments func(state cty.Value) (arguments map[string]cty.Value, missing string)
	// ReadEvery is the number of looks of which one reads the object.
	ReadEvery int
	// Interval is the interval between looks at the object.
	Interval time.Duration
}

// MoveFrom is the resource whose object another one takes over.
type MoveFrom struct {
	Key store.Key
	// At is where the user has asked for it.
	At string
	// Type and ProviderAddress are those of the resource type, such as null_resource and
	// registry.terraform.io/hashicorp/null. Same is set if they are those of the target, maybe in
	// another version of the provider.
	Type, ProviderAddress string
	Same                  bool
	// Exists is set if the resource exists. UID is its UID.
	Exists bool
	UID    types.UID
	// Invalid explains why nothing can be taken over from the resource.
	Invalid diagnostic.Diagnostics
}

// Mark identifies a resource whose object was as its configuration wants it, together with all that
// its plan depended on: the custom resource, the record, the configuration, the provider and its
// configuration. A mark stays true: whenever all of these are the same, nothing is to be planned.
// It is the beginning of a SHA-256.
type Mark [16]byte
