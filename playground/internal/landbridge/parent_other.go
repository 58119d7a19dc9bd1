//go:build !linux

package landbridge

import "syscall"

// endWithParent can do nothing here: a parent that is killed leaves the child
// running.
func endWithParent(*syscall.SysProcAttr) {}
