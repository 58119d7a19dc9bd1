package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
)

// Options of Run.
type Options struct {
	// Operations is the minimum number of user operations.
	Operations int
	// Seed determines the operations and the faults.
	Seed uint64
	// Points are the fault points that are tried.
	Points []faultpoint.Point
	// Only has prefixes of the names of further faults to try. Defaults to all.
	Only []string
	// Execution is the way of execution, Plugin or CLI. Defaults to Plugin.
	Execution v1alpha1.Execution
	// Replicas is the number of controllers that share the work by shards. 0 and 1: one works,
	// without shards.
	Replicas int
	// Race builds the controller with the race detector.
	Race bool
	// Limit bounds the recovery at the end.
	Limit time.Duration
	// Dir is the directory for data and logs.
	Dir string
	// Log receives the log in addition to the file chaos.log.
	Log io.Writer
	// Progress receives the progress; may be nil.
	Progress func(string)
}

// Report is the result of a run.
type Report struct {
	Operations                       int64
	Duplicates, Orphans, Lost, Stuck []string
	// Reached are the fault points that were reached, Missed those that were tried but not reached.
	// Whole is set when all were tried: a small run tries only some faults.
	Reached, Points    int
	Missed             []string
	Whole              bool
	Unasked, Leaks     []string
	Injected, Resolved map[string]int
	Took, Settling     time.Duration
	Controllers        int
}

// Line returns the report in one line.
func (r *Report) Line() string {
	return fmt.Sprintf("chaos: %d operations, %d duplicates, %d orphans, %d lost secrets, %d stuck, %d of %d fault points",
		r.Operations, len(r.Duplicates), len(r.Orphans), len(r.Lost), len(r.Stuck), r.Reached, r.Points)
}

// OK reports whether nothing is wrong, and all fault points were reached if all were tried.
func (r *Report) OK() bool {
	return len(r.Duplicates)+len(r.Orphans)+len(r.Lost)+len(r.Stuck)+len(r.Unasked)+len(r.Leaks) == 0 && (!r.Whole || r.Reached == r.Points)
}

// String returns all details except the line.
func (r *Report) String() string {
	var b strings.Builder
	counted := func(title string, counts map[string]int) {
		fmt.Fprintf(&b, "%s:\n", title)
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, "  %4d  %s\n", counts[name], name)
		}
	}
	listed := func(title string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "%s:\n  %s\n", title, strings.Join(list, "\n  "))
		}
	}
	counted("faults, besides those at fault points", r.Injected)
	counted("questions to users, and their answers", r.Resolved)
	fmt.Fprintf(&b, "%d controllers, %.0f s, of which %.0f s of recovery\n", r.Controllers, r.Took.Seconds(), r.Settling.Seconds())
	listed("duplicates", r.Duplicates)
	listed("orphans", r.Orphans)
	listed("lost secrets", r.Lost)
	listed("stuck", r.Stuck)
	listed("deleted without a request", r.Unasked)
	listed("secrets shown", r.Leaks)
	listed("fault points that were not reached", r.Missed)
	return b.String()
}

// Run lets users work while faults happen, and judges the result. It returns an error if the run
// failed or a process crashed.
func Run(ctx context.Context, o Options) (_ *Report, err error) {
	file, err := os.Create(filepath.Join(o.Dir, "chaos.log"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	log := io.Writer(file)
	if o.Log != nil {
		log = io.MultiWriter(file, o.Log)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w, err := newWorld(ctx, o, o.Dir, log)
	if w != nil {
		defer w.close()
	}
	if err == nil {
		err = w.install(ctx)
	}
	if err != nil {
		return nil, err
	}
	w.slots = newSlots(w, o)
	a := &agenda{
		world: w, want: o.Operations, progress: o.Progress, points: o.Points, only: o.Only, reached: map[faultpoint.Point]bool{},
		random: rand.New(rand.NewPCG(o.Seed, 0)),
	}

	ended := make(chan error, len(w.slots))
	for _, s := range w.slots {
		go func() {
			err := s.live(ctx)
			if err != nil {
				cancel(err)
			}
			ended <- err
		}()
	}
	go w.attend(ctx)
	if err := a.run(ctx); err != nil {
		return nil, cause(ctx, err)
	}
	close(w.stop)
	for range w.slots {
		if err := <-ended; err != nil {
			return nil, err
		}
	}

	began := time.Now()
	a.progressed("everything is well now")
	if err := a.calm(ctx); err != nil {
		return nil, err
	}
	// The next processes retry repeated failures at once.
	for _, c := range append(a.peers, a.running) {
		if c.alive() {
			if err := c.stop(ctx, 40*time.Second); err != nil {
				return nil, err
			}
		}
	}
	if err := a.restart(start{}); err != nil {
		return nil, err
	}
	if err := a.muster(); err != nil {
		return nil, err
	}
	v, err := a.settle(ctx, o.Limit)
	if err != nil {
		return nil, cause(ctx, err)
	}
	r := &Report{
		Operations: w.operations.Load(), Duplicates: v.duplicates, Orphans: v.orphans, Lost: v.lost, Stuck: v.stuck,
		Reached: len(a.reached), Points: len(o.Points), Whole: a.whole, Injected: w.injected, Resolved: w.resolved, Unasked: w.unasked,
		Took: time.Since(w.began), Settling: time.Since(began), Controllers: w.incarnations,
	}
	for _, p := range a.missed() {
		r.Missed = append(r.Missed, p.String())
	}
	for _, c := range append(w.peers, w.running) {
		if text := c.crashed(); text != "" {
			return nil, errors.New(text)
		}
	}
	if events, err := w.cloud.events(ctx); err == nil {
		_ = os.WriteFile(filepath.Join(o.Dir, "cloud.json"), encode(events), 0o600)
	}
	r.Leaks, err = a.leaked(ctx)
	return r, err
}

// cause returns why a context ended, if it did.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}
