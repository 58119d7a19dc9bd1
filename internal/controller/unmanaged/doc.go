// Package unmanaged has what the controllers of kinds that are no resource types have in common:
// data sources, ephemeral resources and actions.
//
// In: a kind (package model), a way to acquire its provider, and what a look at an object does.
// Out: a running controller that looks at each object in its turn, if it belongs to this replica,
// and parts of such a look: references, the configuration, conditions, the write of the status.
//
// kind.go has what a controller needs, start.go runs one, reconcile.go is what precedes each look,
// configuration.go makes arguments, refusal.go says why a call has failed, resource.go is an object
// during a look, and memory.go what is remembered between looks.
package unmanaged
