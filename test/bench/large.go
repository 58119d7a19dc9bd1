package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

const (
	// largePoll is for each ten thousand resources, so that as many are looked at in a second.
	largePoll   = time.Minute
	largeWindow = 2 * time.Minute
	// restartPoll is longer than what is measured after the restart.
	restartPoll = time.Hour
	// largeSettle is how long events are still written after the restart.
	largeSettle = 30 * time.Second
)

// large measures many resources: what they cost when nothing changes, and how long a restarted
// controller takes.
func large(ctx context.Context, r *figure.Report, bin string, n int, profile string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := start(ctx, bin, settings{poll: largePoll * time.Duration(max(1, n/10_000)), profiled: profile != ""})
	if err != nil {
		return err
	}
	defer c.stop()
	if _, err := c.install(ctx, "random", "hashicorp/random", "", "random_string"); err != nil {
		return err
	}
	time.Sleep(20 * time.Second) // as in reconcile
	idle, err := c.idle(20 * time.Second)
	if err != nil {
		return err
	}
	controller, provider, err := c.memory()
	if err != nil {
		return err
	}
	empty := controller + provider
	if _, err := c.create(ctx, strs, "warm-up", 1, 1); err != nil {
		return err
	}
	stored, err := c.stored()
	if err != nil {
		return err
	}
	before, err := c.usage()
	if err != nil {
		return err
	}
	took, err := c.create(ctx, strs, "many", n-1, createWorkers)
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "large: resources", Value: float64(n), Unit: "resources"})
	r.Add(figure.Figure{Name: "large: create all at once, last is Ready after", Value: seconds(took), Unit: "s"})
	if err := c.quiet(ctx); err != nil {
		return err
	}
	after, err := c.usage()
	if err != nil {
		return err
	}
	created := after.sub(before)
	each := func(d time.Duration, of float64) float64 { return d.Seconds() * 1000 / of }
	r.Add(figure.Figure{
		Name: "large: create: controller and provider", Value: each(created.controller+created.provider, float64(n)),
		Unit: "ms CPU each",
	})
	r.Add(figure.Figure{Name: "large: create: API server", Value: each(created.apiserver, float64(n)), Unit: "ms CPU each"})

	if err := c.lookedAt(ctx, n); err != nil {
		return fmt.Errorf("not all resources were looked at after they were created: %w", err)
	}
	var profiling errgroup.Group
	if profile != "" {
		profiling.Go(func() error { return c.profileLooks(ctx, profile, largeWindow) })
	}
	looks, err := c.looksBesideFloor(ctx, bin, largeWindow)
	if err := errors.Join(err, profiling.Wait()); err != nil {
		return err
	}
	used := looks.without(idle)
	const floorName = "large: floor: the same Read called directly, provider and client"
	look := each(used.total(), looks.n)
	r.Add(figure.Figure{Name: floorName, Value: looks.floor.total().Seconds() * 1000, Unit: "ms CPU"})
	r.Ratio(figure.Figure{
		Name: "large: look at an unchanged resource: controller, provider and API server", Value: look, Unit: "ms CPU",
	}, floorName)
	r.Ratio(figure.Figure{
		Name: "large: look at an unchanged resource: controller", Value: each(used.controller, looks.n), Unit: "ms CPU",
	}, floorName)
	r.Ratio(figure.Figure{
		Name: "large: look at an unchanged resource: API server", Value: each(used.apiserver, looks.n), Unit: "ms CPU",
	}, floorName)
	r.Add(figure.Figure{Name: "large: memory, controller and provider", Value: looks.memory, Unit: "MiB"})
	perResource := (looks.memory - empty) * 1024 / float64(n)
	r.Add(figure.Figure{Name: "large: the same without resources", Value: empty, Unit: "MiB"})
	r.Add(figure.Figure{Name: "large: memory for each resource", Value: perResource, Unit: "KiB"})
	if profile != "" {
		if err := c.heap(ctx, profile); err != nil {
			return err
		}
	}
	if err := c.commands(ctx, r, bin, n); err != nil {
		return err
	}
	storedAfter, err := c.stored()
	if err != nil {
		return err
	}
	storedEach := float64(storedAfter-stored) / float64(n) / 1024
	r.Add(figure.Figure{Name: "large: stored by etcd for each resource, history included", Value: storedEach, Unit: "KiB"})

	began := time.Now()
	// What they do until the next look is measured, too.
	if err := c.restart("--poll", restartPoll.String()); err != nil {
		return err
	}
	var createdIn, changedIn time.Duration
	var users errgroup.Group
	users.Go(func() (err error) {
		createdIn, err = c.create(ctx, strs, "new", 1, 1)
		return err
	})
	users.Go(func() (err error) {
		changedIn, err = c.change(ctx, strs, "many-0", `{"spec":{"forProvider":{"length":20}}}`)
		return err
	})
	if profile != "" {
		users.Go(func() error { return c.restarted(ctx, profile) })
	}
	if err := c.until(ctx, 10*time.Minute, func() (bool, error) { return c.allObserved(ctx, n) }); err != nil {
		return fmt.Errorf("after the restart, not all resources were observed: %w", err)
	}
	restart := time.Since(began)
	if err := users.Wait(); err != nil {
		return fmt.Errorf("after the restart, a change was not made: %w", err)
	}
	restarted, err := c.usage()
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "large: from kill -9 until all were observed", Value: seconds(restart), Unit: "s"})
	r.Add(figure.Figure{Name: "large: the same, controller", Value: restarted.controller.Seconds(), Unit: "s CPU"})
	r.Add(figure.Figure{Name: "large: the same, provider", Value: restarted.provider.Seconds(), Unit: "s CPU"})
	r.Add(figure.Figure{Name: "large: a resource created at the restart is Ready after", Value: seconds(createdIn), Unit: "s"})
	r.Add(figure.Figure{Name: "large: a resource changed at the restart, and replaced, is Ready after", Value: seconds(changedIn), Unit: "s"})
	time.Sleep(largeSettle)
	between, err := c.idle(largeWindow / 2)
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "large: between looks: controller", Value: between.controller.Seconds() * 1000, Unit: "ms CPU per second"})
	million(r, empty, perResource, storedEach, look, (restarted.controller+restarted.provider).Seconds()/float64(n))
	fmt.Printf("large: %d resources, %.0f MiB, %.2f ms per look, %.1f s restart\n", n, looks.memory, look, seconds(restart))
	return nil
}

// million reports what a million resources would take, if everything grows as it did until here:
// memory in MiB without any resource and in KiB for each, what etcd stores of each in KiB, the
// processor time of a look in milliseconds, and that of a restart for each resource in seconds.
func million(r *figure.Report, empty, memory, stored, look, restart float64) {
	const n, poll = 1e6, 10 * time.Minute
	add := func(name string, value float64, unit string) {
		r.Add(figure.Figure{Name: "large: model of 1,000,000: " + name, Value: value, Unit: unit})
	}
	add("memory, controller and provider", empty/1024+memory*n/(1<<20), "GiB")
	add("stored by etcd, history included", stored*n/(1<<20), "GiB")
	add("looks every 10 minutes, controller, provider and API server", look*n/1000/poll.Seconds(), "processors")
	add("a restart, controller and provider", restart*n/60, "min CPU")
}

// quiet waits until nothing was written for a while, not even events, which the controller writes
// slowly.
func (c *cluster) quiet(ctx context.Context) error {
	last, since := -1, time.Now()
	return c.until(ctx, 10*time.Minute, func() (bool, error) {
		writes, err := c.writesBut(ctx, "leases")
		if now := writes.total(); now != last {
			last, since = now, time.Now()
		}
		time.Sleep(time.Second)
		return time.Since(since) > 20*time.Second, err
	})
}

// allObserved reports whether the controller has observed n resources or more, and all that it
// knows.
func (c *cluster) allObserved(ctx context.Context, n int) (bool, error) {
	// An answer costs the controller some milliseconds.
	time.Sleep(min(500*time.Millisecond, 20*time.Millisecond+time.Duration(n)*time.Millisecond))
	var known, unobserved float64
	err := metrics(ctx, http.DefaultClient, "http://"+c.metrics, func(name, _ string, value float64) {
		switch name {
		case "landbridge_resources":
			known += value
		case "landbridge_resources_unobserved":
			unobserved += value
		}
	})
	// There is an error as long as the controller does not answer yet.
	return err == nil && known >= float64(n) && unobserved == 0, nil
}

// sum returns the sum of a metric of the controller over all labels that contain a text.
func (c *cluster) sum(ctx context.Context, metric, containing string) (total float64, _ error) {
	err := metrics(ctx, http.DefaultClient, "http://"+c.metrics, func(name, labels string, value float64) {
		if name == metric && strings.Contains(labels, containing) {
			total += value
		}
	})
	return total, err
}

// stored returns the bytes that etcd occupies.
func (c *cluster) stored() (total int64, _ error) {
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != "" || !strings.Contains(path, "/snap/") || d.Name() != "db" {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total = info.Size()
		}
		return err
	})
	return total, err
}
