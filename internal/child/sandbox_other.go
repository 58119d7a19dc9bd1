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

// Reads reports whether a child may read a path, as far as the sandbox goes.
func (s *Sandbox) Reads(string) bool { return true }

// Writes reports whether a child may write a path, as far as the sandbox goes.
func (s *Sandbox) Writes(string) bool { return true }

// Connects reports whether a child may connect to a TCP port.
func (s *Sandbox) Connects(uint16) bool { return true }
