package child

import (
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// starts runs functions on one thread that lasts as long as this program: the kernel sends
// a child its parent-death signal when the thread that started it ends, not the program.
var starts = sync.OnceValue(func() chan<- func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
})

// Start starts a command, and sets its SysProcAttr.
func Start(cmd *exec.Cmd) error {
	return start(cmd, func(f func() error) error {
		result := make(chan error, 1)
		starts() <- func() { result <- f() }
		return <-result
	})
}

// start starts a command on the thread on which run runs functions.
func start(cmd *exec.Cmd, run func(func() error) error) error {
	setAttributes(cmd)
	for try := 0; ; try++ {
		err := run(cmd.Start)
		if !retried(err) || try == 10 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
		again := &exec.Cmd{Path: cmd.Path, Args: cmd.Args, ExtraFiles: cmd.ExtraFiles}
		again.Dir, again.Env, again.Stdin = cmd.Dir, cmd.Env, cmd.Stdin
		again.Stdout, again.Stderr, again.SysProcAttr = cmd.Stdout, cmd.Stderr, cmd.SysProcAttr
		*cmd = *again //nolint:govet // never started, so nothing in it is in use
	}
}
