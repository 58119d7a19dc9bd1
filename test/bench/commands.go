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
	if err := measure(r, "large: landbridge status", cmd, n+1); err != nil {
		return err
	}
	return ctx.Err()
}

// measure runs a command that must print a number of lines or more. It adds the times of its first and last line, and its
// largest memory.
func measure(r *figure.Report, name string, cmd *exec.Cmd, least int) error {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	out, lines := bufio.NewReader(stdout), 0
	var first time.Duration
	for err == nil {
		if _, err = out.ReadSlice('\n'); err == nil || errors.Is(err, bufio.ErrBufferFull) {
			if lines == 0 {
				first = time.Since(began)
			}
			if err == nil {
				lines++
			}
			err = nil
		}
	}
	if waitErr := cmd.Wait(); err != io.EOF || waitErr != nil { //nolint:errorlint // a bufio.Reader returns it as it is
		return fmt.Errorf("%s: %w, %w", name, err, waitErr)
	}
	took := time.Since(began)
	if lines < least {
		return fmt.Errorf("%s prints %d lines, not %d", name, lines, least)
	}
	r.Add(figure.Figure{Name: name + ", first line after", Value: seconds(first), Unit: "s", Bound: 1})
	r.Add(figure.Figure{Name: name + ", last line after", Value: seconds(took), Unit: "s"})
	used, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	r.Add(figure.Figure{Name: name + ", largest memory", Value: float64(used.Maxrss) / 1024, Unit: "MiB", Bound: 150})
	return nil
}
