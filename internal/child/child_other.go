//go:build !linux

package child

import "os/exec"

func setAttributes(*exec.Cmd) {}

// WaitForExit does not wait.
func WaitForExit(int) {}

// KillGroup does nothing.
func KillGroup(int) {}
