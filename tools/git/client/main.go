package client

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Main carries out the command of this process and returns its status. SIGINT and SIGTERM end it.
func Main() int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fatal:", err)
		return Fatal
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The environment's GOGC is for OpenTofu, which has little memory to collect. Indexing a large
	// pack has much.
	debug.SetGCPercent(50)
	return Run(ctx, Invocation{
		Args: os.Args[1:], Dir: dir, Env: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr,
	})
}
