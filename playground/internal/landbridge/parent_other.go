//go:build !linux

package landbridge

import "syscall"

// endWithParent does nothing on this platform: if the parent is killed, the
// child keeps running.
func endWithParent(*syscall.SysProcAttr) {}
