//go:build !linux

package plugin

// descriptors reports whether a child can run one of its descriptors.
func descriptors() bool { return false }
