// Package stage is the directory in which a provider that is a process of its own finds what it is to
// know, and leaves behind what it was asked and what it has done.
//
// In go cases in a step, by the name of their resource type; out come their calls and worlds, also
// of several processes one after the other. It starts no process.
package stage
