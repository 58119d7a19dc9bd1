//go:build !linux

package memory

import "runtime/debug"

// Release gives back free heap.
func Release() error {
	debug.FreeOSMemory()
	return nil
}
