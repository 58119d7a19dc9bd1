// Package stage exchanges cases and results with providers that run as separate processes, through
// a directory.
//
// In: cases in a step, by the name of their resource type. Out: their calls and worlds, also from
// several consecutive processes. It starts no process.
package stage
