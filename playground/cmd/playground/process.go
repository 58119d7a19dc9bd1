package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"k8s.io/klog/v2"
)

// defaultMemoryLimit is a soft limit: past it the collector works harder.
// Custom resource definitions are what needs memory; a thousand need 1.3 GiB.
const defaultMemoryLimit = 2 << 30

// tuneCollector trades memory for speed: at rest the heap is small, and tests
// and tours feel the collector more than the memory. GOGC and GOMEMLIMIT, where
// set, have the last word.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(defaultMemoryLimit)
	}
}

// logTo sends what Kubernetes' components log to a file: a hundred lines at each
// start are of no use to a user who wants a cluster.
func logTo(path string) (closeLog func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log file: %w", err)
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := flags.Set(name, value); err != nil {
			f.Close()
			return nil, fmt.Errorf("log file: %w", err)
		}
	}
	klog.SetOutput(f)
	return func() { klog.Flush(); f.Close() }, nil
}

// keepStderr sends to a log what libraries write to standard error, such as the client of etcd when
// it stops. What this program writes to os.Stderr still arrives, and so do crashes.
func keepStderr(log string) error {
	f, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	const stderr = 2
	own, err := syscall.Dup(stderr)
	if err != nil {
		return err
	}
	syscall.CloseOnExec(own)
	if err := dup(int(f.Fd()), stderr); err != nil {
		return err
	}
	os.Stderr = os.NewFile(uintptr(own), "stderr")
	return debug.SetCrashOutput(os.Stderr, debug.CrashOptions{})
}
