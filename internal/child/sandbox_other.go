//go:build !linux

package child

import "os/exec"

// SandboxSupported reports whether the kernel can restrict a child.
func SandboxSupported() bool { return false }

// SandboxPorts reports whether the kernel can restrict the ports that a child connects to.
func SandboxPorts() bool { return false }

// SandboxLimitation describes what a sandbox of this kernel does not restrict, or is empty.
func SandboxLimitation() string { return "" }

func onThread(f func()) { go f() }

func (s *Sandbox) restrict() error { return ErrNoSandbox }

func (s *Sandbox) begin(*exec.Cmd, func() error) error { return ErrNoSandbox }
