package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

const (
	// many is the number of resources of which the creation at once is measured.
	many = 780
	// createWorkers is the number of clients that create many resources.
	createWorkers = 16
)

// createMany measures the creation of many resources at once. The floor is measured before: later,
// the controller looks at the resources meanwhile, and writes events.
func (c *cluster) createMany(ctx context.Context, r *figure.Report, served, unserved kind, profile string) error {
	floors := make([]time.Duration, 3)
	for i := range floors {
		var err error
		if _, floors[i], err = c.minimalWrites(ctx, unserved, fmt.Sprintf("many-%d", i), many, createWorkers); err != nil {
			return err
		}
	}
	const floor = "floor: the writes of 780 at once"
	r.Add(figure.Figure{Name: floor, Value: seconds(figure.Percentile(floors, .5)), Unit: "s"})

	before, err := c.usage()
	if err != nil {
		return err
	}
	profiled := func() error { return nil }
	if profile != "" {
		profiled = c.profile(ctx, profile)
	}
	all, err := c.create(ctx, served, "many", many, createWorkers)
	if err = errors.Join(err, profiled()); err != nil {
		return err
	}
	after, err := c.usage()
	if err != nil {
		return err
	}
	used := after.sub(before)
	for _, of := range []struct {
		name string
		time.Duration
	}{{"controller", used.controller}, {"provider", used.provider}, {"API server", used.apiserver}} {
		r.Add(figure.Figure{Name: "create, 780 at once: " + of.name, Value: of.Seconds() * 1000 / many, Unit: "ms CPU each"})
	}
	r.Ratio(figure.Figure{Name: "time to Ready: 780 at once, last", Value: seconds(all), Unit: "s", MaxRatio: 1.6}, floor)
	return nil
}
