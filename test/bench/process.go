package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ticksPerSecond is USER_HZ, which is 100 on all Linux platforms Go runs on.
const ticksPerSecond = 100

// cpu returns the processor time of a process without its children, to the nanosecond.
func cpu(pid int) (time.Duration, error) {
	const scheduled = 2 // CPUCLOCK_SCHED of Linux: the time on processors
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil { //nolint:gosec // process numbers have 22 bits
		return 0, fmt.Errorf("the processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// ended returns the processor time of the children of a process that have ended.
func ended(pid int) (out time.Duration, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The command's name is in parentheses and may contain blanks.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	for _, field := range fields[13:15] { // cutime, cstime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		out += time.Duration(n) * time.Second / ticksPerSecond
	}
	return out, nil
}

// anonymous returns the anonymous resident memory of a process in MiB. Pages of program files are
// left out: several processes share them, and the system drops them when it needs memory.
func anonymous(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("no RssAnon in the status of process %d", pid)
}

// usage is the processor time used so far; provider is that of all processes the controller has
// started.
type usage struct{ controller, provider, apiserver time.Duration }

func (u usage) add(v usage) usage {
	return usage{u.controller + v.controller, u.provider + v.provider, u.apiserver + v.apiserver}
}

func (u usage) sub(v usage) usage {
	return usage{u.controller - v.controller, u.provider - v.provider, u.apiserver - v.apiserver}
}

func (u usage) total() time.Duration { return u.controller + u.provider + u.apiserver }
