package chaos

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
)

// pace is the minimum number of operations per fault. A run with too few operations for all faults
// tries some of them.
const pace = 12

// agenda has the faults of a run and their progress. Faults happen one after the other.
type agenda struct {
	*world
	random  *rand.Rand
	want    int // operations
	points  []faultpoint.Point
	only    []string
	reached map[faultpoint.Point]bool
	// whole is set when all faults are tried; tried has the fault points that are tried.
	whole    bool
	tried    []faultpoint.Point
	estates  []*estate
	progress func(string)
	// moved counts the configurations that were moved to other shards.
	moved int
	// localhost is set when the provider configurations name the cloud's host localhost.
	localhost bool
}

func (a *agenda) upTo(d time.Duration) time.Duration { return time.Duration(a.random.Int64N(int64(d))) }

// item is one fault, or several that belong together.
type item struct {
	name string
	do   func(context.Context) error
	// point is the fault point at which the controller dies, for such faults.
	point *faultpoint.Point
}

func (a *agenda) death(p faultpoint.Point) item {
	return item{name: "die at " + p.String(), do: func(ctx context.Context) error { return a.dieAt(ctx, p) }, point: &p}
}

// faults returns all faults except deaths at fault points.
func (a *agenda) faults() []item {
	if a.sharded() {
		return a.shardFaults()
	}
	out := []item{
		{name: "kill the controller", do: a.killController},
		{name: "kill the controller", do: a.killController},
		{
			name: "stop the controller, operations take longer",
			do:   func(ctx context.Context) error { return a.stopController(ctx, 500*time.Millisecond) },
		},
		{
			name: "stop the controller, operations end in time",
			do:   func(ctx context.Context) error { return a.stopController(ctx, 15*time.Second) },
		},
		{name: "kill a provider", do: func(ctx context.Context) error { return a.hitProvider(ctx, "killed") }},
		{
			name: "kill a provider and the controller",
			do:   func(ctx context.Context) error { return a.hitProvider(ctx, "killed, then the controller") },
		},
		{name: "pause a provider", do: func(ctx context.Context) error { return a.hitProvider(ctx, "paused") }},
		{name: "hand over", do: a.handOver},
		{name: "stop the API server", do: func(ctx context.Context) error { return a.apiServer(ctx, "stopped", false) }},
		{name: "kill the API server", do: func(ctx context.Context) error { return a.apiServer(ctx, "killed", true) }},
		{name: "pause the API server", do: func(ctx context.Context) error { return a.apiServer(ctx, "paused", true) }},
		{name: "kill the cloud", do: a.cloudAway},
		{name: "change the endpoint", do: func(ctx context.Context) error { return a.configure(ctx, "another endpoint") }},
		{name: "change the token", do: func(ctx context.Context) error { return a.configure(ctx, "another token") }},
	}
	for _, how := range []string{"namespace", "namespace and controller", "credentials first"} {
		out = append(out, item{name: "remove an estate: " + how, do: func(ctx context.Context) error { return a.removeEstate(ctx, how) }})
	}
	for _, process := range []faultpoint.Process{faultpoint.Create, faultpoint.Update, faultpoint.Delete} {
		out = append(out, item{
			name: "kill providers: " + string(process), do: func(ctx context.Context) error {
				return a.providersAt(ctx, process)
			},
		})
	}
	for _, p := range []faultpoint.Point{
		{Process: faultpoint.Create, Step: faultpoint.BeforeIntent}, {
			Process: faultpoint.Create, Step: faultpoint.BeforeDispatch,
		}, {Process: faultpoint.Create, Step: faultpoint.BeforeConclude},
		{Process: faultpoint.Update, Step: faultpoint.BeforeDispatch}, {Process: faultpoint.Delete, Step: faultpoint.BeforeIntent},
	} {
		out = append(out, item{name: "pause beyond the lease: " + p.String(), do: func(ctx context.Context) error { return a.fence(ctx, p) }})
	}
	for _, name := range slices.Sorted(maps.Keys(weather)) {
		out = append(out, item{name: "the cloud " + name, do: func(ctx context.Context) error { return a.cloudWeather(ctx, name) }})
	}
	return out
}

// asked reports whether a fault should be tried.
func (a *agenda) asked(it item) bool {
	return a.only == nil || slices.ContainsFunc(a.only, func(name string) bool { return strings.HasPrefix(it.name, name) })
}

// run runs each fault once, and then repeats faults until enough operations were done.
func (a *agenda) run(ctx context.Context) error {
	var items []item
	for _, it := range a.faults() {
		if a.asked(it) {
			items = append(items, it)
		}
	}
	for _, p := range a.points {
		items = append(items, a.death(p))
	}
	a.random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	n := min(len(items), max(1, a.want/pace))
	a.whole, items = n == len(items), items[:n]
	if a.cli {
		for _, it := range a.cliFaults() {
			if a.asked(it) {
				items = append(items, it)
			}
		}
		a.random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	for _, it := range items {
		if it.point != nil {
			a.tried = append(a.tried, *it.point)
		}
	}
	// Some resources exist before the first fault.
	a.allowed.Store(int64(min(a.want, len(a.slots))))
	for end := time.Now().Add(30 * time.Second); a.operations.Load() < a.allowed.Load() && time.Now().Before(end) && ctx.Err() == nil; {
		pause(ctx, 20*time.Millisecond)
	}
	for i, it := range items {
		a.allowed.Store(max(a.allowed.Load(), int64(a.want*(i+1)/len(items))))
		if err := a.one(ctx, fmt.Sprintf("%d of %d", i+1, len(items)), it); err != nil {
			return err
		}
	}
	for range 2 {
		for _, p := range a.missed() {
			if err := a.one(ctx, "again", a.death(p)); err != nil {
				return err
			}
		}
	}
	a.allowed.Store(int64(a.want))
	for a.operations.Load() < int64(a.want) && ctx.Err() == nil {
		if len(items) == 0 {
			pause(ctx, 100*time.Millisecond)
			continue
		}
		if err := a.one(ctx, "more", items[a.random.IntN(len(items))]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// missed returns the points that were tried, but not reached.
func (a *agenda) missed() []faultpoint.Point {
	return slices.DeleteFunc(slices.Clone(a.tried), func(p faultpoint.Point) bool { return a.reached[p] })
}

func (a *agenda) progressed(to string) {
	a.note("--- %s (%d operations)", to, a.operations.Load())
	if a.progress != nil {
		a.progress(fmt.Sprintf("%4.0f s, %d operations, %s", time.Since(a.began).Seconds(), a.operations.Load(), to))
	}
}

func (a *agenda) one(ctx context.Context, n string, it item) error {
	a.progressed(n + ": " + it.name)
	if err := a.muster(); err != nil {
		return err
	}
	a.another()
	if err := it.do(ctx); err != nil {
		return fmt.Errorf("%s: %w", it.name, err)
	}
	return nil
}
