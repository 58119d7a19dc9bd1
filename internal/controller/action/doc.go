// Package action is the one controller for the kind of every action.
//
// In: a kind (package model) and a way to acquire its provider. Out: a running controller that
// invokes each object's action once, or again as its retry policy says, and writes into the status
// how far it is and how it has ended.
//
// Package invocation decides. The record of an invocation is in the object's status. It says that
// the action is running before the action is requested of the provider, by a write that fails if
// the object has changed. So no attempt is made twice: one whose end is not recorded is Unknown.
//
// kind.go has what the controllers of all actions need, start.go runs one, and reconcile.go is one
// look: plan.go plans and asks policies and approvers, run.go carries out attempts beyond the
// reconcile, conclude.go records how they have ended, and status.go writes the rest.
package action
