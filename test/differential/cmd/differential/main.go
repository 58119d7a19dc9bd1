package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/landbridge-io/landbridge/test/differential"
	"github.com/landbridge-io/landbridge/test/differential/internal/cases"
	"github.com/landbridge-io/landbridge/test/differential/internal/tofu"
)

type options struct {
	seed            uint64
	first, n, batch int
	verbose, debug  bool
	fixtures        string
}

func main() {
	var o options
	flag.IntVar(&o.n, "cases", 2000, "how many random cases")
	flag.Uint64Var(&o.seed, "seed", 1, "which ones")
	flag.IntVar(&o.first, "first", 0, "the number of the first of them: -first 17 -cases 1 is case 17 alone")
	flag.IntVar(&o.batch, "batch", 80, "how many cases share a run of tofu")
	flag.StringVar(&o.fixtures, "fixtures", "testdata", "directory of the cases to begin with, and where new ones are saved; empty for none")
	flag.BoolVar(&o.debug, "debug", false, "say what tofu printed")
	flag.BoolVar(&o.verbose, "v", false, "say what was done, and how often each deliberate difference was met")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

var errDiffer = errors.New("the engine and tofu differ")

func run(ctx context.Context, o options) error {
	path, err := tofu.Build(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "differential-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	h, err := differential.New(ctx, path, dir)
	if err != nil {
		return err
	}
	h.Debug = o.debug
	if o.verbose || o.debug {
		h.Log = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	}
	begin := time.Now()
	count, differences, err := o.replay(ctx, h)
	if err != nil {
		return err
	}
	for from := o.first; from < o.first+o.n; from += o.batch {
		var all []*cases.Case
		for i := from; i < min(from+o.batch, o.first+o.n); i++ {
			all = append(all, differential.Generate(o.seed, i))
		}
		found, err := h.Run(ctx, all)
		if err != nil {
			return fmt.Errorf("cases %d and on: %w", from, err)
		}
		count += len(all)
		for _, i := range slices.Sorted(maps.Keys(found)) {
			differences += len(found[i])
			if err := o.report(ctx, h, from+i, all[i], found[i][0]); err != nil {
				return err
			}
		}
	}
	if o.verbose {
		for _, line := range append(differential.Counts(h.Seen), differential.Counts(h.Uses)...) {
			fmt.Fprintln(os.Stderr, line)
		}
	}
	fmt.Printf("%d steps in %d runs of tofu, %s\n", h.Steps, h.Runs, time.Since(begin).Round(time.Second))
	unmet := h.Unmet()
	for _, name := range unmet {
		fmt.Printf("deliberate difference never met: %s\n", name)
	}
	fmt.Printf("differential: %d cases, %d differences\n", count, differences)
	switch {
	case differences > 0:
		return errDiffer
	case len(unmet) > 0 && o.n >= 2000:
		return errors.New("the list of deliberate differences holds some that are none")
	}
	return nil
}

// replay runs the saved cases.
func (o options) replay(ctx context.Context, h *differential.Harness) (count, differences int, err error) {
	if o.fixtures == "" {
		return 0, 0, nil
	}
	names, all, err := differential.Fixtures(o.fixtures)
	if err != nil {
		return 0, 0, err
	}
	found, err := h.Run(ctx, all)
	if err != nil {
		return 0, 0, fmt.Errorf("saved cases: %w", err)
	}
	for _, i := range slices.Sorted(maps.Keys(found)) {
		fmt.Printf("%s:\n%s\n", names[i], found[i][0])
		differences += len(found[i])
	}
	return len(all), differences, nil
}

// report says what differs, in a case that is as small as can be, and saves that.
func (o options) report(ctx context.Context, h *differential.Harness, number int, c *cases.Case, d differential.Difference) error {
	fmt.Printf("case %d of seed %d (%s, legacy %v):\n%s\n", number, o.seed, c.Style, c.Legacy, d)
	small, d, err := h.Shrink(ctx, c, d)
	if err != nil {
		return fmt.Errorf("shrinking case %d: %w", number, err)
	}
	fmt.Printf("shrunk to\n%s\n", d)
	for i, step := range small.Steps {
		raw, err := json.Marshal(step)
		if err != nil {
			return err
		}
		fmt.Printf("  step %d: %s\n", i, raw)
	}
	if o.fixtures == "" {
		return nil
	}
	name := filepath.Join(o.fixtures, fmt.Sprintf("seed%d_case%d.json", o.seed, number))
	fmt.Printf("saved as %s\n", name)
	return differential.Save(name, small)
}
