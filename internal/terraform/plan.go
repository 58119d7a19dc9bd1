package terraform

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
)

// Action is what a plan does.
type Action string

// The actions of a plan. NoOp never reaches the provider's apply.
const (
	NoOp   Action = "NoOp"
	Create Action = "Create"
	Update Action = "Update"
	Delete Action = "Delete"
	// DeleteThenCreate and CreateThenDelete are the two orders of a replacement.
	DeleteThenCreate Action = "DeleteThenCreate"
	CreateThenDelete Action = "CreateThenDelete"
)

// IsReplace says whether the object is replaced by a new one.
func (a Action) IsReplace() bool { return a == DeleteThenCreate || a == CreateThenDelete }

// Reason says why an action is what it is, in the words of Terraform's plan JSON.
type Reason string

// Reasons of replacements.
const (
	ReplaceBecauseTainted      Reason = "replace_because_tainted"
	ReplaceBecauseCannotUpdate Reason = "replace_because_cannot_update"
)

// Plan is what it takes to bring an object to its configuration.
type Plan struct {
	Resource ResourceType
	Action   Action
	Reason   Reason
	// Prior is the instance the plan was made for.
	Prior instance.Instance
	// Config is the configuration as the user wrote it, which is what the provider is told when it
	// applies; ignore_changes only bears on planning. Null for Delete.
	Config cty.Value
	// State is the planned state; it may hold unknown values. Null for Delete.
	State   cty.Value
	Private []byte
	// Identity is the planned identity; cty.NilVal when there is none. It may hold unknown
	// values for Create and replacements.
	Identity cty.Value
	// RequiresReplace are the paths that force the replacement.
	RequiresReplace []cty.Path
	// CreateBeforeDestroy is stored with the instance.
	CreateBeforeDestroy bool
	SensitivePaths      []cty.Path
	// Contained is what the plan does to the resources that the object consists of; nil of objects that
	// are one resource.
	Contained []Contained
}
