package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

const (
	dataNumber = 1000             // of data sources, and of resources
	dataPoll   = 10 * time.Second // the interval of both
	dataWindow = 30 * time.Second // during which each is measured
)

// record is the kind of a data source of the example cloud.
var record = kind{
	GroupVersionResource: schema.GroupVersionResource{Group: "data." + thing.Group, Version: thing.Version, Resource: "records"},
	Kind:                 "Record", forProvider: `{"name":"shared"}`, more: fmt.Sprintf(`,"refreshInterval":%q`, dataPoll),
}

// dataSources compares looks at unchanged data sources with those at as many unchanged resources of
// the same provider.
func dataSources(ctx context.Context, r *figure.Report, bin string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cloud, err := startCloud(ctx)
	if err != nil {
		return err
	}
	defer cloud.stop()
	if err := cloud.call(ctx, http.MethodPost, "/v1/records",
		strings.NewReader(`{"name":"shared","address":"a","value":"v"}`), nil); err != nil {
		return err
	}
	c, err := start(ctx, bin, settings{poll: dataPoll})
	if err != nil {
		return err
	}
	defer c.stop()
	if err := errors.Join(
		c.installCloud(ctx, "examplecloud_thing"), c.activateData(ctx, "examplecloud", "examplecloud_record"),
		c.configureCloud(ctx, "default", map[string]any{"endpoint": cloud.url}),
	); err != nil {
		return err
	}
	time.Sleep(20 * time.Second) // as in reconcile
	data, err := c.unchangedOf(ctx, record, "data/")
	if err != nil {
		return err
	}
	// They have no finalizer.
	if err := c.client.Resource(record.GroupVersionResource).Namespace("default").
		DeleteCollection(ctx, metav1.DeleteOptions{}, listAll); err != nil {
		return err
	}
	resources, err := c.unchangedOf(ctx, thing, "managed/")
	if err != nil {
		return err
	}
	per := func(u unchanged, d time.Duration) float64 { return d.Seconds() * 1000 / u.n }
	const base = "data sources: look at an unchanged resource of the same provider"
	r.Add(figure.Figure{Name: base + ", controller", Value: per(resources, resources.used.controller), Unit: "ms CPU"})
	r.Add(figure.Figure{
		Name:  base + ", controller and provider",
		Value: per(resources, resources.used.controller+resources.used.provider), Unit: "ms CPU",
	})
	const name = "data sources: read of an unchanged one"
	r.Ratio(figure.Figure{
		Name: name + ", controller", Value: per(data, data.used.controller), Unit: "ms CPU", MaxRatio: 2,
	}, base+", controller")
	r.Ratio(figure.Figure{
		Name: name + ", controller and provider", Value: per(data, data.used.controller+data.used.provider),
		Unit: "ms CPU", MaxRatio: 1.3,
	}, base+", controller and provider")
	r.Add(figure.Figure{Name: name + ", measured", Value: data.n, Unit: "reads"})
	r.Add(figure.Figure{Name: name + ", API writes, all of them together", Value: float64(data.writes), Unit: "writes", Bound: -1})
	return nil
}

// unchangedOf creates objects of a kind, and measures their looks when they have settled.
func (c *cluster) unchangedOf(ctx context.Context, k kind, controller string) (u unchanged, _ error) {
	if _, err := c.create(ctx, k, "many", dataNumber, createWorkers); err != nil {
		return u, err
	}
	if err := c.quiet(ctx); err != nil {
		return u, err
	}
	n := func() (float64, error) {
		return c.sum(ctx, "controller_runtime_reconcile_total", `controller="`+controller+k.Kind+".")
	}
	looks, err := n()
	if err != nil {
		return u, err
	}
	writes, err := c.writes(ctx)
	if err != nil {
		return u, err
	}
	before, err := c.usage()
	if err != nil {
		return u, err
	}
	time.Sleep(dataWindow)
	after, err := c.usage()
	if err != nil {
		return u, err
	}
	looksAfter, err := n()
	if err != nil {
		return u, err
	}
	writesAfter, err := c.writes(ctx)
	u.n, u.used, u.writes = looksAfter-looks, after.sub(before), writesAfter.since(writes)
	if err == nil && u.n == 0 {
		err = fmt.Errorf("no %s was looked at", k.Kind)
	}
	return u, err
}

// activateData has a data source of a provider served.
func (c *cluster) activateData(ctx context.Context, provider, name string) error {
	patch := fmt.Appendf(nil, `{"spec":{"activateDataSources":[%q]}}`, name)
	if _, err := c.client.Resource(providers).Patch(ctx, provider, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	return c.until(ctx, time.Minute, func() (bool, error) {
		_, err := c.client.Resource(record.GroupVersionResource).List(ctx, listAll)
		return err == nil, nil
	})
}
