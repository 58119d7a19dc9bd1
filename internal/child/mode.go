package child

import "fmt"

// Mode is whether programs run in a sandbox.
type Mode string

// The modes. BestEffort uses a sandbox where the kernel supports it.
const (
	Require    Mode = "Require"
	BestEffort Mode = "BestEffort"
	Off        Mode = "Off"
)

// Valid reports whether the mode is known. Empty is BestEffort.
func (m Mode) Valid() bool { return m == "" || m == Require || m == BestEffort || m == Off }

// Check returns an error if the mode is unknown, or requires what the kernel does not support.
func (m Mode) Check() error {
	switch {
	case !m.Valid():
		return fmt.Errorf("%q is not %s, %s or %s", m, Require, BestEffort, Off)
	case m == Require && !SandboxSupported():
		return fmt.Errorf("programs cannot be restricted: %w", ErrNoSandbox)
	}
	return nil
}

// Applies reports whether programs are to run in a sandbox.
func (m Mode) Applies() bool { return m == Require || m != Off && SandboxSupported() }
