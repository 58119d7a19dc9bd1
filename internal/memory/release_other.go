//go:build !linux

package memory

// ReleaseProgram does nothing: only Linux tells which pages are mapped.
func ReleaseProgram() error { return nil }
