package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// progressDelay is how long something takes before its progress is shown.
const progressDelay = 2 * time.Second

// showProgress shows on a terminal what a command does, with the time that it takes, if it takes
// longer than two seconds. done ends it, and must be called before anything else is printed.
func showProgress(cmd *cobra.Command, what string) (done func()) {
	if cmd == nil || !isTerminal(cmd.ErrOrStderr()) {
		return func() {}
	}
	return progressOn(cmd.ErrOrStderr(), what)
}

// progressOn shows progress in the last line of a terminal.
func progressOn(w io.Writer, what string) (done func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		begin := time.Now()
		for delay := progressDelay; ; delay = time.Second {
			select {
			case <-time.After(delay):
				fmt.Fprintf(w, "\r\x1b[K%s ... %s", what, time.Since(begin).Round(time.Second))
			case <-end:
				if time.Since(begin) >= progressDelay {
					fmt.Fprint(w, "\r\x1b[K") // the line is removed
				}
				return
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() { close(end) })
		<-ended
	}
}

// showSteps returns what prints the steps of many resources as they are done. On a terminal it
// shows how long the step that follows takes, too. done ends that.
func showSteps(cmd *cobra.Command, begin string) (tell func(resource, step string), done func()) {
	end := showProgress(cmd, begin)
	tell = func(resource, step string) {
		end()
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", resource, step)
		end = showProgress(cmd, begin+", last "+resource)
	}
	return tell, func() { end() }
}
