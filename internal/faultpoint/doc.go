// Package faultpoint names the instants between the steps of the journal protocol at which a
// process may die, or be paused, without anything being lost.
//
// In: calls of Reach and During from the code that takes those steps. Out: nothing, in programs
// as they are released: the functions are empty there and cost nothing. Programs that are built
// with the tag faultpoints do at one of the points what the environment variable
// LANDBRIDGE_FAULT_POINT says, "<process>/<step>:<nth time>:<action>"; test/chaos builds one. It
// never decides anything, and nothing but the environment switches it on.
package faultpoint
