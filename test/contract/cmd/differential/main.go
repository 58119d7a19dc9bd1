package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/contract/differential"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

type options struct {
	seed            uint64
	first, n, batch int
	workers         int
	programs        int
	ephemerals      int
	verbose, debug  bool
	shrink          bool
	fixtures        string
}

func main() {
	var o options
	flag.IntVar(&o.n, "cases", 2000, "number of random cases")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the random cases")
	flag.IntVar(&o.first, "first", 0, "number of the first random case: -first 17 -cases 1 runs case 17 only")
	flag.IntVar(&o.batch, "batch", 100, "number of cases per run of tofu")
	flag.IntVar(&o.programs, "programs", -1, "number of further random cases run by landbridge as a program and by "+
		"tofu with the same provider binaries; one for every twenty others, at most 250, if negative")
	flag.IntVar(&o.ephemerals, "ephemerals", -1,
		"number of further random cases of ephemeral resources; one for every four others, at most 1000, if negative")
	flag.IntVar(&o.workers, "workers", min(runtime.NumCPU(), 4), "number of concurrent runs")
	flag.StringVar(&o.fixtures, "fixtures", "differential/testdata",
		"directory of saved cases, which run first; new ones are saved there; empty for none")
	flag.BoolVar(&o.debug, "debug", false, "print tofu's output")
	flag.BoolVar(&o.verbose, "v", false, "print what was done, and how often each deliberate difference occurred")
	flag.BoolVar(&o.shrink, "shrink", true, "shrink cases that differ, and save them")
	flag.Parse()
	if o.programs < 0 {
		o.programs = min((o.n+19)/20, 250)
	}
	if o.ephemerals < 0 {
		o.ephemerals = min((o.n+3)/4, 1000)
	}
	debug.SetGCPercent(400) // the program is short-lived and has the machine to itself
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

var errDiffer = errors.New("our side and tofu differ")

func run(ctx context.Context, o options) error {
	path, err := testbin.Build(ctx, testbin.OpenTofu)
	if err != nil {
		return err
	}
	begin := time.Now()
	r := &report{options: o, Counters: differential.NewCounters()}
	batches := o.batches()
	next := make(chan batch, len(batches))
	for _, b := range batches {
		next <- b
	}
	close(next)
	group, working := errgroup.WithContext(ctx)
	for range min(o.workers, len(batches)) {
		group.Go(func() error { return o.work(working, path, next, r) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := o.compareEphemerals(ctx, path, r); err != nil {
		return err
	}
	return r.end(time.Since(begin))
}

// batch is cases that share runs of tofu.
type batch struct {
	kind kind
	// from is the number of the first case, n how many there are; saved cases have no numbers.
	from, n int
}

// kind says where cases come from, and who runs them.
type kind struct{ saved, programs bool }

func (k kind) String() string {
	out := "random"
	if k.saved {
		out = "saved"
	}
	if k.programs {
		out += " program"
	}
	return out
}

func (o options) batches() []batch {
	var out []batch
	random := func(n int, programs bool) {
		for from := o.first; from < o.first+n; from += o.batch {
			out = append(out, batch{kind{programs: programs}, from, min(o.batch, o.first+n-from)})
		}
	}
	random(o.programs, true) // first, as they take longest
	if o.fixtures != "" {
		out = append(out, batch{kind: kind{saved: true, programs: true}}, batch{kind: kind{saved: true}})
	}
	random(o.n, false)
	return out
}

// cases are the cases of a batch, and what to call them.
func (o options) cases(b batch) (names []string, all []*cases.Case, err error) {
	if b.kind.saved {
		names, all, err = differential.Fixtures(o.fixtures)
		if b.kind.programs {
			names, all = differential.ForPrograms(names, all)
		}
		return names, all, err
	}
	generate, word := differential.Generate, "case"
	if b.kind.programs {
		generate, word = differential.GenerateForPrograms, "program"
	}
	for i := b.from; i < b.from+b.n; i++ {
		names = append(names, filepath.Join(o.fixtures, fmt.Sprintf("seed%d_%s%d.json", o.seed, word, i)))
		all = append(all, generate(o.seed, i))
	}
	return names, all, nil
}

// work runs batches for as long as there are any.
func (o options) work(ctx context.Context, path string, next <-chan batch, r *report) error {
	harnesses := map[bool]*differential.Harness{}
	for b := range next {
		h := harnesses[b.kind.programs]
		if h == nil {
			dir, err := os.MkdirTemp("", "differential-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			create := differential.New
			if b.kind.programs {
				create = differential.Programs
			}
			if h, err = create(ctx, path, dir); err != nil {
				return err
			}
			h.Debug = o.debug
			if o.verbose || o.debug {
				h.Log = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
			}
			harnesses[b.kind.programs] = h
		}
		names, all, err := o.cases(b)
		if err != nil {
			return err
		}
		found, err := h.Run(ctx, all)
		if err != nil {
			return fmt.Errorf("%s cases %d and on: %w", b.kind, b.from, err)
		}
		if err := r.add(ctx, h, names, all, found); err != nil {
			return err
		}
	}
	for _, h := range harnesses {
		r.count(h.Counters)
	}
	return nil
}
