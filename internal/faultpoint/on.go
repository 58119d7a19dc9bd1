//go:build faultpoints

package faultpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// into is the delay after which During acts: by then, a call has left the process.
const into = 25 * time.Millisecond

var armed = func() *fault {
	text := os.Getenv(Variable)
	if text == "" {
		return nil
	}
	f, err := parse(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s=%s: %s\n", Variable, text, err)
		os.Exit(2)
	}
	return f
}()

type fault struct {
	point  Point
	action Action
	left   atomic.Int64 // how many more times the point must be reached
}

func parse(text string) (*fault, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return nil, fmt.Errorf("it is not <process>/<step>:<nth>:<action>")
	}
	point, err := Parse(parts[0])
	if err != nil {
		return nil, err
	}
	nth, err := strconv.Atoi(parts[1])
	if err != nil || nth < 1 {
		return nil, fmt.Errorf("%q is no number from 1", parts[1])
	}
	f := &fault{point: point, action: Action(parts[2])}
	switch f.action {
	case Kill, Pause, KillProviders, KillPrograms:
	default:
		return nil, fmt.Errorf("there is no action %q", parts[2])
	}
	f.left.Store(int64(nth))
	return f, nil
}

// Reach marks that a process is about to take a step.
func Reach(process Process, step Step) {
	if armed != nil && armed.point == (Point{process, step}) {
		armed.reached()
	}
}

// During marks that a process is in a step until the returned function is called.
func During(process Process, step Step) (over func()) {
	if armed == nil || armed.point != (Point{process, step}) {
		return func() {}
	}
	timer := time.AfterFunc(into, armed.reached)
	return func() { timer.Stop() }
}

func (f *fault) reached() {
	if f.left.Add(-1) != 0 {
		return
	}
	fmt.Fprintf(os.Stderr, "%s%s\n", Announcement, f.point)
	switch f.action {
	case Kill:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case Pause:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		// The signal goes to the process: this thread may run a little further before it stops.
		time.Sleep(50 * time.Millisecond)
	case KillProviders:
		killChildren(func(string) bool { return true })
	case KillPrograms:
		own, _ := os.Getwd()
		killChildren(func(dir string) bool { return dir != own })
	}
}

// killChildren kills the child processes whose working directory matches.
func killChildren(fits func(dir string) bool) {
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for _, field := range strings.Fields(string(children)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				continue
			}
			if dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil && fits(dir) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}
