//go:build !linux

package memory

import "runtime/debug"

// Release releases free heap.
func Release() error {
	debug.FreeOSMemory()
	return nil
}
