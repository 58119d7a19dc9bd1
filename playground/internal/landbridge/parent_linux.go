package landbridge

import "syscall"

// endWithParent makes the kernel stop the child when this process ends.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGTERM }
