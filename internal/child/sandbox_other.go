//go:build !linux

package child

// SandboxSupported reports whether the kernel can restrict a child.
func SandboxSupported() bool { return false }

func onThread(f func()) { go f() }

func (s *Sandbox) restrict() error { return ErrNoSandbox }
