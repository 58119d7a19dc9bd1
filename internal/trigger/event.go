package trigger

import (
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Event is when an action is invoked.
type Event string

// The events. A replacement has those of the destruction and those of the creation.
const (
	BeforeCreate  Event = "BeforeCreate"
	AfterCreate   Event = "AfterCreate"
	BeforeUpdate  Event = "BeforeUpdate"
	AfterUpdate   Event = "AfterUpdate"
	BeforeDestroy Event = "BeforeDestroy"
	AfterDestroy  Event = "AfterDestroy"
)

// Before reports whether an event precedes the operation.
func (e Event) Before() bool { return strings.HasPrefix(string(e), "Before") }

// OfDestroy reports whether an event is about the destruction of an object.
func (e Event) OfDestroy() bool { return e == BeforeDestroy || e == AfterDestroy }

// Change is what is done to an object.
type Change string

// The changes.
const (
	Create  Change = "Create"
	Update  Change = "Update"
	Replace Change = "Replace"
	Destroy Change = "Destroy"
)

// ChangeOf returns the change that a plan makes; empty if it changes nothing.
func ChangeOf(a terraform.Action) Change {
	switch a {
	case terraform.Create:
		return Create
	case terraform.Update:
		return Update
	case terraform.DeleteThenCreate, terraform.CreateThenDelete:
		return Replace
	case terraform.Delete:
		return Destroy
	}
	return ""
}

// events returns the events of a change in their order.
func (c Change) events() []Event {
	switch c {
	case Create:
		return []Event{BeforeCreate, AfterCreate}
	case Update:
		return []Event{BeforeUpdate, AfterUpdate}
	case Replace:
		return []Event{BeforeDestroy, BeforeCreate, AfterDestroy, AfterCreate}
	case Destroy:
		return []Event{BeforeDestroy, AfterDestroy}
	}
	return nil
}

// of reports whether a trigger is of an event.
func (t *Trigger) of(e Event) bool { return slices.Contains(t.Events, e) }
