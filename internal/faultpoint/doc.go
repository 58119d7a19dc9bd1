// Package faultpoint names the points between the steps of the journal protocol at which a process
// can be killed or paused without losing anything.
//
// In: calls of Reach and During from the code that takes those steps. Out: nothing in released
// programs, where the functions are empty and cost nothing. A program built with the tag
// faultpoints performs an action at one of the points. The environment variable
// LANDBRIDGE_FAULT_POINT selects both, as "<process>/<step>:<nth time>:<action>"; test/chaos builds
// such a program. It never decides anything, and only the environment turns it on.
package faultpoint
