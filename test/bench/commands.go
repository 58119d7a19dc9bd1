package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

// commands measures a command that shows all resources.
func (c *cluster) commands(ctx context.Context, r *figure.Report, bin string, n int) error {
	cmd := command(filepath.Join(bin, "landbridge"), "status", "-A", "--kubeconfig", filepath.Join(c.dir, "controller.kubeconfig"))
	m, err := measure(cmd, n+1)
	if err != nil {
		return fmt.Errorf("landbridge status: %w", err)
	}
	m.add(r, "large: landbridge status", "")
	return ctx.Err()
}

// measured is what a command took.
type measured struct {
	first, last time.Duration // until its lines
	memory      float64       // the largest of one process, in MiB; those that it started and ended count
}

// measure runs a command that must print a number of lines or more.
func measure(cmd *exec.Cmd, least int) (m measured, _ error) {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return m, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return m, err
	}
	out, lines := bufio.NewReader(stdout), 0
	for err == nil {
		if _, err = out.ReadSlice('\n'); err == nil {
			if lines++; lines == 1 {
				m.first = time.Since(began)
			}
		} else if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
	}
	if waitErr := cmd.Wait(); err != io.EOF || waitErr != nil { //nolint:errorlint // a bufio.Reader returns it as it is
		return m, fmt.Errorf("%w, %w", err, waitErr)
	}
	m.last = time.Since(began)
	if lines < least {
		return m, fmt.Errorf("%d lines were printed, not %d", lines, least)
	}
	used, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	m.memory = float64(used.Maxrss) / 1024
	return m, nil
}

// add adds figures. The first line is compared with a floor; without one it must come within a
// second.
func (m measured) add(r *figure.Report, name, floor string) {
	first := figure.Figure{Name: name + ", first line after", Value: seconds(m.first), Unit: "s"}
	if floor == "" {
		first.Bound = 1
		r.Add(first)
	} else {
		first.MaxRatio = 2
		r.Ratio(first, floor)
	}
	r.Add(figure.Figure{Name: name + ", last line after", Value: seconds(m.last), Unit: "s"})
	r.Add(figure.Figure{Name: name + ", largest memory", Value: m.memory, Unit: "MiB", Bound: 150})
}
