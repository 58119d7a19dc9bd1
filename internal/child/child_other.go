//go:build !linux

package child

import "os/exec"

func setAttributes(*exec.Cmd) {}

// NoCoreDumps does nothing.
func NoCoreDumps() error { return nil }

// WaitForExit does not wait.
func WaitForExit(int) {}

// KillGroup does nothing.
func KillGroup(int) {}
