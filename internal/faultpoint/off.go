//go:build !faultpoints

package faultpoint

// Reach says that a process is about to take a step.
func Reach(Process, Step) {}

// During says that a process is within a step until the returned function is called.
func During(Process, Step) (over func()) { return nothing }

func nothing() {}
