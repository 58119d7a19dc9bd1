package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/landbridge-io/landbridge/test/contract/differential"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// enough is the number of random cases from which every deliberate difference has to occur.
const enough = 2000

// report collects and prints the results.
type report struct {
	options
	mu sync.Mutex
	differential.Counters
	cases, differences int
}

// add prints the differences found in cases.
func (r *report) add(
	ctx context.Context, h *differential.Harness, names []string, all []*cases.Case,
	found map[int][]differential.Difference,
) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cases += len(all)
	for _, i := range slices.Sorted(maps.Keys(found)) {
		r.differences += len(found[i])
		c, d := all[i], found[i][0]
		fmt.Printf("%s (%s, legacy %v):\n%s\n", filepath.Base(names[i]), c.Style, c.Legacy, d)
		if _, err := os.Stat(names[i]); err == nil || !r.shrink {
			continue // saved cases are minimal already
		}
		if err := r.save(ctx, h, names[i], c, d); err != nil {
			return err
		}
	}
	return nil
}

// save shrinks a case and saves it.
func (r *report) save(ctx context.Context, h *differential.Harness, name string, c *cases.Case, d differential.Difference) error {
	small, d, err := h.Shrink(ctx, c, d)
	if err != nil {
		return fmt.Errorf("shrinking %s: %w", name, err)
	}
	fmt.Printf("shrunk to\n%s\n", d)
	for i, step := range small.Steps {
		raw, err := json.Marshal(step)
		if err != nil {
			return err
		}
		fmt.Printf("  step %d: %s\n", i, raw)
	}
	if r.fixtures == "" {
		return nil
	}
	fmt.Printf("saved as %s\n", name)
	return differential.Save(name, small)
}

func (r *report) count(c differential.Counters) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Add(c)
}

// end prints what was covered and the closing line.
func (r *report) end(took time.Duration) error {
	if r.verbose {
		for _, line := range append(differential.Lines(r.Seen), differential.Lines(r.Uses)...) {
			fmt.Fprintln(os.Stderr, line)
		}
	}
	for _, line := range differential.Lines(r.Covered) {
		fmt.Println(line)
	}
	fmt.Printf("%d steps in %d runs of tofu, %s (%s ours, %s tofu's, by %d workers)\n", r.Steps, r.Runs, took.Round(time.Second),
		r.Ours.Round(time.Second), r.Theirs.Round(time.Second), r.workers)
	unmet, uncovered := r.Unmet(), r.Uncovered()
	for _, name := range unmet {
		fmt.Printf("deliberate difference did not occur: %s\n", name)
	}
	for _, name := range uncovered {
		fmt.Printf("not covered: %s\n", name)
	}
	fmt.Printf("differential: %d cases, %d differences\n", r.cases, r.differences)
	switch {
	case r.differences > 0:
		return errDiffer
	case len(unmet) > 0 && r.n >= enough:
		return errors.New("some deliberate differences did not occur: remove them, or run more cases")
	case len(uncovered) > 0 && r.n >= enough:
		return errors.New("some situations were not covered")
	}
	return nil
}
