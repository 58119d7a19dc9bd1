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

// agenda is which faults happen, and how far they have got. One happens after the other.
type agenda struct {
	*world
	random  *rand.Rand
	want    int // operations
	points  []faultpoint.Point
	only    []string
	reached map[faultpoint.Point]bool
	estates []*estate
	// localhost says how the provider configurations call the cloud's host.
	localhost bool
}

func (a *agenda) upTo(d time.Duration) time.Duration { return time.Duration(a.random.Int64N(int64(d))) }

// item is one fault, or several that belong together.
type item struct {
	name string
	do   func(context.Context) error
}

// faults are all but the deaths at fault points.
func (a *agenda) faults() []item {
	out := []item{
		{"kill the controller", a.killController},
		{"kill the controller", a.killController},
		{"stop the controller, operations take longer", func(ctx context.Context) error { return a.stopController(ctx, 500*time.Millisecond) }},
		{"stop the controller, operations end in time", func(ctx context.Context) error { return a.stopController(ctx, 15*time.Second) }},
		{"kill a provider", func(ctx context.Context) error { return a.hitProvider(ctx, "killed") }},
		{"kill a provider and the controller", func(ctx context.Context) error { return a.hitProvider(ctx, "killed, then the controller") }},
		{"pause a provider", func(ctx context.Context) error { return a.hitProvider(ctx, "paused") }},
		{"hand over", a.handOver},
		{"stop the API server", func(ctx context.Context) error { return a.apiServer(ctx, "stopped", false) }},
		{"kill the API server", func(ctx context.Context) error { return a.apiServer(ctx, "killed", true) }},
		{"pause the API server", func(ctx context.Context) error { return a.apiServer(ctx, "paused", true) }},
		{"kill the cloud", a.cloudAway},
		{"change the endpoint", func(ctx context.Context) error { return a.configure(ctx, "another endpoint") }},
		{"change the token", func(ctx context.Context) error { return a.configure(ctx, "another token") }},
	}
	for _, how := range []string{"namespace", "namespace and controller", "credentials first"} {
		out = append(out, item{"remove an estate: " + how, func(ctx context.Context) error { return a.removeEstate(ctx, how) }})
	}
	for _, process := range []faultpoint.Process{faultpoint.Create, faultpoint.Update, faultpoint.Delete} {
		out = append(out, item{"kill providers: " + string(process), func(ctx context.Context) error { return a.providersAt(ctx, process) }})
	}
	for _, p := range []faultpoint.Point{
		{Process: faultpoint.Create, Step: faultpoint.BeforeDispatch}, {Process: faultpoint.Create, Step: faultpoint.BeforeConclude},
		{Process: faultpoint.Update, Step: faultpoint.BeforeDispatch}, {Process: faultpoint.Delete, Step: faultpoint.BeforeIntent},
	} {
		out = append(out, item{"pause beyond the lease: " + p.String(), func(ctx context.Context) error { return a.fence(ctx, p) }})
	}
	for _, name := range slices.Sorted(maps.Keys(weather)) {
		out = append(out, item{"the cloud " + name, func(ctx context.Context) error { return a.cloudWeather(ctx, name) }})
	}
	if a.only == nil {
		return out
	}
	return slices.DeleteFunc(out, func(it item) bool {
		return !slices.ContainsFunc(a.only, func(name string) bool { return strings.HasPrefix(it.name, name) })
	})
}

// run goes through all faults once, and then has more of them happen until enough operations were done.
func (a *agenda) run(ctx context.Context) error {
	faults := a.faults()
	var items []item
	for _, p := range a.points {
		items = append(items, item{"die at " + p.String(), func(ctx context.Context) error { return a.dieAt(ctx, p) }})
	}
	items = append(items, faults...)
	a.random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	// Some resources are there before anything goes wrong.
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
		for _, p := range a.points {
			if !a.reached[p] {
				if err := a.one(ctx, "again", item{"die at " + p.String(), func(ctx context.Context) error { return a.dieAt(ctx, p) }}); err != nil {
					return err
				}
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

func (a *agenda) one(ctx context.Context, n string, it item) error {
	a.note("--- %s: %s (%d operations)", n, it.name, a.operations.Load())
	if err := it.do(ctx); err != nil {
		return fmt.Errorf("%s: %w", it.name, err)
	}
	return nil
}
