//go:build !faultpoints

package faultpoint

// Reach marks that a process is about to take a step.
func Reach(Process, Step) {}

// During marks that a process is in a step until the returned function is called.
func During(Process, Step) (over func()) { return nothing }

func nothing() {}
