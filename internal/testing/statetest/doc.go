// Package statetest serves one kind in an API server without a controller, for tests of the
// commands that read and move stored states.
//
// In: a resource type. Out: a cluster that serves it as Kind, and objects of it. It never stores a
// state itself.
package statetest
