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
	// many is the number of resources that are created at once, by createWorkers clients, and rounds how often that is measured.
	many          = 780
	createWorkers = 16
	rounds        = 3

	manyFloor = "floor: the writes of 780 at once"
)

// createMany measures the creation of many resources at once. Each time the floor is measured right before, since the speed of a machine
// changes within minutes. The figures are those of the round whose ratio is the median. The resources of the last round stay.
func (c *cluster) createMany(ctx context.Context, r *figure.Report, served, unserved kind, profile string) error {
	type round struct{ floor, all time.Duration }
	ratio := func(x round) float64 { return x.all.Seconds() / x.floor.Seconds() }
	var measured []round
	var used usage
	for i := range rounds {
		name := fmt.Sprintf("many-%d", i)
		_, floor, err := c.minimalWrites(ctx, unserved, name, many, createWorkers)
		if err != nil {
			return err
		}
		before, err := c.usage()
		if err != nil {
			return err
		}
		profiled := func() error { return nil }
		if profile != "" && i == rounds-1 {
			profiled = c.profile(ctx, profile)
		}
		all, err := c.create(ctx, served, name, many, createWorkers)
		if err = errors.Join(err, profiled()); err != nil {
			return err
		}
		after, err := c.usage()
		if err != nil {
			return err
		}
		measured, used = append(measured, round{floor, all}), used.add(after.sub(before))
		if i < rounds-1 {
			if err := c.deleteAll(ctx, served, name); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(measured, func(a, b round) int { return cmp.Compare(ratio(a), ratio(b)) })
	median := measured[len(measured)/2]
	r.Add(figure.Figure{Name: manyFloor, Value: seconds(median.floor), Unit: "s"})
	for _, of := range []struct {
		name string
		time.Duration
	}{{"controller", used.controller}, {"provider", used.provider}, {"API server", used.apiserver}} {
		r.Add(figure.Figure{Name: "create, 780 at once: " + of.name, Value: of.Seconds() * 1000 / many / rounds, Unit: "ms CPU each"})
	}
	r.Ratio(figure.Figure{Name: "time to Ready: 780 at once, last", Value: seconds(median.all), Unit: "s", MaxRatio: 1.8}, manyFloor)
	return nil
}

// deleteAll deletes the resources that create made with a name, and waits until they are gone.
func (c *cluster) deleteAll(ctx context.Context, k kind, name string) error {
	resources := c.client.Resource(k.GroupVersionResource).Namespace(metav1.NamespaceDefault)
	of := metav1.ListOptions{LabelSelector: "bench=" + name, Limit: 1}
	if err := resources.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: of.LabelSelector}); err != nil {
		return err
	}
	err := c.until(ctx, 2*time.Minute, func() (bool, error) {
		left, err := resources.List(ctx, of)
		return err == nil && len(left.Items) == 0, err
	})
	time.Sleep(5 * time.Second) // for what follows a deletion, such as events
	return err
}
