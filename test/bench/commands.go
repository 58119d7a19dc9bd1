package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"syscall"
	"time"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

// commands measures a command that shows all resources.
func (c *cluster) commands(ctx context.Context, r *figure.Report, bin string, n int) error {
	cmd := command(filepath.Join(bin, "landbridge"), "status", "-A", "--kubeconfig", filepath.Join(c.dir, "controller.kubeconfig"))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	out := bufio.NewReader(stdout)
	if _, err = out.ReadSlice('\n'); err != nil {
		return fmt.Errorf("landbridge status shows nothing: %w", err)
	}
	first, lines := time.Since(began), 0
	for err == nil {
		if _, err = out.ReadSlice('\n'); err == nil {
			lines++
		}
	}
	if waitErr := cmd.Wait(); err != io.EOF || waitErr != nil { //nolint:errorlint // a bufio.Reader returns it as it is
		return fmt.Errorf("landbridge status: %w, %w", err, waitErr)
	}
	took := time.Since(began)
	if lines < n {
		return fmt.Errorf("landbridge status shows %d of %d resources", lines, n)
	}
	r.Add(figure.Figure{Name: "large: landbridge status, first line after", Value: seconds(first), Unit: "s", Bound: 1})
	r.Add(figure.Figure{Name: "large: landbridge status, last line after", Value: seconds(took), Unit: "s"})
	used, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	r.Add(figure.Figure{Name: "large: landbridge status, largest memory", Value: float64(used.Maxrss) / 1024, Unit: "MiB", Bound: 150})
	return ctx.Err()
}
