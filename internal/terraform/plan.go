package terraform

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// Action is the action of a plan.
type Action string

// The actions of a plan. A NoOp is never applied.
const (
	NoOp   Action = "NoOp"
	Create Action = "Create"
	Update Action = "Update"
	Delete Action = "Delete"
	// DeleteThenCreate and CreateThenDelete are the two orders of a replacement.
	DeleteThenCreate Action = "DeleteThenCreate"
	CreateThenDelete Action = "CreateThenDelete"
	// Invoke is the one of the plan of an action, which has no object.
	Invoke Action = "Invoke"
)

// IsReplace reports whether the object is replaced by a new one.
func (a Action) IsReplace() bool { return a == DeleteThenCreate || a == CreateThenDelete }

// Reason is the reason of an action, as in Terraform's plan JSON.
type Reason string

// Reasons of replacements.
const (
	ReplaceBecauseTainted      Reason = "replace_because_tainted"
	ReplaceBecauseCannotUpdate Reason = "replace_because_cannot_update"
)

// Plan is the change that makes an object match its configuration.
type Plan struct {
	Resource ResourceType
	Action   Action
	Reason   Reason
	// Prior is the instance the plan was made for.
	Prior instance.Instance
	// PriorSent is the state of the object that the provider is told instead of Prior's; cty.NilVal
	// if it is not another one. A plan that sets arguments again leaves them out of it.
	PriorSent cty.Value
	// Config is the configuration as the user wrote it. The provider gets it on apply;
	// ignore_changes affects only planning. Null for Delete.
	Config cty.Value
	// State is the planned state; it may hold unknown values. Null for Delete.
	State   cty.Value
	Private []byte
	// Again are the private bytes that Config.PlannedPrivate gets when the plan is made again; nil
	// if the provider cannot be sent them, or if they are those of Prior.
	Again []byte
	// Identity is the planned identity; cty.NilVal when there is none. It may hold unknown
	// values for Create and replacements.
	Identity cty.Value
	// RequiresReplace are the paths that force the replacement.
	RequiresReplace []cty.Path
	// CreateBeforeDestroy is stored with the instance.
	CreateBeforeDestroy bool
	SensitivePaths      []cty.Path
	// Contained are the changes of the resources that the object consists of; nil for objects that
	// are one resource.
	Contained []Contained
	// Content identifies the planned values of the contained resources; nil for objects that are
	// one resource. Exact is set when a plan with other values must not be carried out: by default,
	// the same actions are.
	Content []byte
	Exact   bool
	// Creates are the contained objects that the plan creates, and Imports those that it imports,
	// as far as they are known.
	Creates, Imports []Object
	// CreateUnchecked is set when the contained objects are created without looking for existing
	// ones.
	CreateUnchecked bool
	// Keeps are the addresses of contained objects that are left as they are, though they would be
	// updated.
	Keeps []string
	// Refuses returns the error of a contained object that must not be destroyed; nil for others,
	// and without such objects.
	Refuses func(context.Context, Object) error
	// Validation has the warnings of the validation, if the configuration was validated, and
	// Warnings those of the plan.
	Validation, Warnings diagnostic.Diagnostics
	// WithoutRefresh is set when the object was not read before it is destroyed, and must not be
	// read for that.
	WithoutRefresh bool
	// Outdated is set when a read has shown an object of a module as it was before its last update,
	// and the plan is of what is stored instead.
	Outdated bool
}
