package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

const (
	// many is the number of resources of which the creation at once is measured.
	many = 780
	// createWorkers is the number of clients that create many resources.
	createWorkers = 16
	// batches is how often the creation is measured.
	batches = 3
)

// batch is the creation of many resources at once.
type batch struct {
	// floor is the time that the same number of minimal writes took just before, all the time until the last resource was Ready.
	floor, all time.Duration
	used       usage
}

func (b batch) ratio() float64 { return seconds(b.all) / seconds(b.floor) }

// createMany measures the creation of many resources at once, some times, and reports the one with the median ratio to its floor: the
// speed of a machine may change from one minute to the next. The resources of the last one stay.
func (c *cluster) createMany(ctx context.Context, r *figure.Report, served, unserved kind, profile string) error {
	var measured []batch
	for i := range batches {
		if i > 0 {
			if err := c.remove(ctx, served, fmt.Sprintf("many-%d", i-1)); err != nil {
				return err
			}
			profile = ""
		}
		b, err := c.createBatch(ctx, served, unserved, fmt.Sprintf("many-%d", i), profile)
		if err != nil {
			return err
		}
		measured = append(measured, b)
	}
	slices.SortFunc(measured, func(a, b batch) int { return cmp.Compare(a.ratio(), b.ratio()) })
	of := measured[len(measured)/2]
	const floor = "floor: the writes of 780 at once"
	r.Add(figure.Figure{Name: floor, Value: seconds(of.floor), Unit: "s"})
	for _, of := range []struct {
		name string
		time.Duration
	}{{"controller", of.used.controller}, {"provider", of.used.provider}, {"API server", of.used.apiserver}} {
		r.Add(figure.Figure{Name: "create, 780 at once: " + of.name, Value: of.Seconds() * 1000 / many, Unit: "ms CPU each"})
	}
	r.Ratio(figure.Figure{Name: "time to Ready: 780 at once, last", Value: seconds(of.all), Unit: "s", MaxRatio: 1.8}, floor)
	r.Add(figure.Figure{Name: "time to Ready: 780 at once, largest of three ratios", Value: measured[len(measured)-1].ratio(), Unit: "times its floor"})
	return nil
}

// createBatch measures the creation of many resources, which have the label bench with the name.
func (c *cluster) createBatch(ctx context.Context, served, unserved kind, name, profile string) (b batch, err error) {
	if _, b.floor, err = c.minimalWrites(ctx, unserved, name, many, createWorkers); err != nil {
		return b, err
	}
	before, err := c.usage()
	if err != nil {
		return b, err
	}
	profiled := func() error { return nil }
	if profile != "" {
		profiled = c.profile(ctx, profile)
	}
	b.all, err = c.create(ctx, served, name, many, createWorkers)
	if err = errors.Join(err, profiled()); err != nil {
		return b, err
	}
	after, err := c.usage()
	b.used = after.sub(before)
	return b, err
}

// remove deletes the resources of a batch, and waits until they are gone, and nothing is written any more.
func (c *cluster) remove(ctx context.Context, k kind, name string) error {
	client, these := c.client.Resource(k.GroupVersionResource).Namespace("default"), metav1.ListOptions{LabelSelector: "bench=" + name}
	if err := c.quiet(ctx); err != nil {
		return err
	}
	if err := client.DeleteCollection(ctx, metav1.DeleteOptions{}, these); err != nil {
		return err
	}
	err := c.until(ctx, 5*time.Minute, func() (bool, error) {
		time.Sleep(time.Second)
		left, err := client.List(ctx, these)
		return err == nil && len(left.Items) == 0, err
	})
	if err != nil {
		return err
	}
	return c.quiet(ctx)
}
