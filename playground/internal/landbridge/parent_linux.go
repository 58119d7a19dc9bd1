package landbridge

import "syscall"

// endWithParent makes the kernel tell the child to stop when we are gone.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGTERM }
