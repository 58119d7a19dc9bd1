package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

func main() {
	only := flag.String("only", "", "comma-separated names of the repositories to make; all by default")
	parallel := flag.Int("parallel", 2, "how many are made at once")
	keep := flag.Bool("keep", false, "keep the repositories, and say where they are; those that fail are kept in any case")
	inProcess := flag.Bool("in-process", false, "make only those that link their providers")
	write := flag.String("write", "", "Markdown file to write the figures of the repositories that link their providers to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed, err := run(ctx, options{*only, *write, *parallel, *keep, *inProcess})
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

type options struct {
	only, write string
	parallel    int
	keep        bool
	inProcess   bool
}

// run creates the repositories, and returns how many failed.
func run(ctx context.Context, o options) (failed int, err error) {
	all := repositories
	if o.only != "" {
		all = nil
		for name := range strings.SplitSeq(o.only, ",") {
			i := slices.IndexFunc(repositories, func(r repository) bool { return r.name == name })
			if i < 0 {
				return 0, fmt.Errorf("-only: there is no repository %s", name)
			}
			all = append(all, repositories[i])
		}
	}
	if o.inProcess {
		all = slices.DeleteFunc(slices.Clone(all), func(r repository) bool { return !r.inProcess })
	}
	tools, err := newTools(ctx)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "landbridge-generated-")
	if err != nil {
		return 0, err
	}
	start := time.Now()
	measured := map[string]figures{} // by provider
	var mu sync.Mutex
	var work sync.WaitGroup
	turns := make(chan struct{}, max(1, o.parallel))
	for _, r := range all {
		turns <- struct{}{}
		work.Go(func() {
			defer func() { <-turns }()
			begin := time.Now()
			made, f, err := tools.make(ctx, filepath.Join(dir, r.name), r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				fmt.Printf("%-24s FAILED after %.0f s: %v\n", r.name, time.Since(begin).Seconds(), err)
				return
			}
			fmt.Printf("%-24s %.0f s: %s\n%s", r.name, time.Since(begin).Seconds(), made, f)
			if f != nil {
				measured[strings.TrimSuffix(r.name, inProcessSuffix)] = f
			}
		})
	}
	work.Wait()
	if o.keep || failed > 0 {
		fmt.Println("the repositories are in", dir)
	} else {
		err = os.RemoveAll(dir)
	}
	inProcess := 0
	for _, r := range all {
		if r.inProcess {
			inProcess++
		}
	}
	fmt.Printf("it took %.0f s\ngenerated: %d repositories, %d of them in process, %d failed\n",
		time.Since(start).Seconds(), len(all), inProcess, failed)
	if o.write != "" && failed == 0 {
		err = errors.Join(err, writeFigures(o.write, measured))
	}
	return failed, errors.Join(err, ctx.Err())
}

// tools are the required programs and the checkout.
type tools struct{ landbridge, playground, root string }

func newTools(ctx context.Context) (t tools, err error) {
	if t.root, err = testbin.Root(); err != nil {
		return t, err
	}
	if t.landbridge, err = testbin.Build(ctx, testbin.Landbridge); err != nil {
		return t, err
	}
	t.playground, err = testbin.Build(ctx, testbin.Playground)
	return t, err
}
