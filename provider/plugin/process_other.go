//go:build !linux

package plugin

import "os/exec"

func setProcessAttributes(*exec.Cmd) {}

func waitForExit(int) {}

func killGroup(int) {}
