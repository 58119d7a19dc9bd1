package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/bench/figure"
)

// linked is a controller with the example cloud's provider linked in.
var linked = testbin.Target{
	Module: "test/conformance", Package: "./cmd/linked", Output: "bin/test/linked",
	Sources: append([]string{"test/conformance", "examples/examplecloud"}, testbin.Landbridge.Sources...),
}

const (
	wayCreates   = 20               // one after the other
	wayResources = 100              // polled resources
	wayPoll      = 10 * time.Second // poll interval
	waySettle    = 45 * time.Second // until the controller has released memory of its start
	wayWindow    = 60 * time.Second // during which reconciles are measured
)

// ways measures the three ways of execution: the executors alone, compared with the bare calls of
// the provider, and a controller in each way.
func ways(ctx context.Context, r *figure.Report, bin string) error {
	if err := executors(ctx, r); err != nil {
		return err
	}
	program, err := testbin.Build(ctx, linked)
	if err != nil {
		return err
	}
	tofu, err := testbin.Build(ctx, testbin.OpenTofu)
	if err != nil {
		return err
	}
	binary, err := testbin.Build(ctx, examplecloudtest.ProviderProgram(examplecloudtest.Framework6))
	if err != nil {
		return err
	}
	for _, w := range []struct {
		way, source string
		settings
	}{
		{"Plugin", binary, settings{}},
		{"InProcess", "landbridge-io/examplecloud", settings{program: program}},
		{"CLI", binary, settings{args: []string{"--cli", tofu}}},
	} {
		w.poll = wayPoll
		if err := inCluster(ctx, r, bin, w.way, w.source, w.settings); err != nil {
			return fmt.Errorf("%s: %w", w.way, err)
		}
	}
	return nil
}

// executors adds the figures of BenchmarkWays.
func executors(ctx context.Context, r *figure.Report) error {
	dir, err := os.MkdirTemp("", "landbridge-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "figures.json")
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkWays$", "-benchtime", "1x",
		"-timeout", "30m", ".", "-figures", path)
	cmd.Dir = "test/conformance"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var figures []figure.Figure
	if err := json.Unmarshal(text, &figures); err != nil {
		return err
	}
	for _, f := range figures {
		r.Add(f)
	}
	return nil
}

// inCluster measures a controller in one way.
func inCluster(ctx context.Context, r *figure.Report, bin, way, source string, s settings) error {
	cloud, err := startCloud(ctx)
	if err != nil {
		return err
	}
	defer cloud.stop()
	c, err := start(ctx, bin, s)
	if err != nil {
		return err
	}
	defer c.stop()
	if _, err := c.install(ctx, "examplecloud", source, way, "examplecloud_thing"); err != nil {
		return err
	}
	if err := c.configureCloud(ctx, "default", map[string]any{"endpoint": cloud.url}); err != nil {
		return err
	}
	add := func(name string, value float64, unit string) {
		r.Add(figure.Figure{Name: name, Column: way, Value: value, Unit: unit})
	}
	time.Sleep(20 * time.Second) // as in reconcile
	if _, err := c.create(ctx, thing, "warm-up", 1, 1); err != nil {
		return err
	}
	time.Sleep(waySettle)
	one, err := c.observe(ctx, wayPoll+5*time.Second)
	if err != nil {
		return err
	}

	var took []time.Duration
	for i := range wayCreates {
		d, err := c.create(ctx, thing, fmt.Sprintf("one-%d", i), 1, 1)
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	const rawCreate = "the provider's calls of a create alone, time" // of BenchmarkWays
	r.Ratio(figure.Figure{
		Name: "in a cluster: create, until Ready, p50", Column: way,
		Value: seconds(figure.Percentile(took, .5)) * 1000, Unit: "ms",
	}, rawCreate)

	if _, err := c.create(ctx, thing, "rest", wayResources-wayCreates-1, 4); err != nil {
		return err
	}
	time.Sleep(waySettle)
	before, err := c.looks(ctx)
	if err != nil {
		return err
	}
	writes, err := c.writes(ctx)
	if err != nil {
		return err
	}
	usedBefore, err := c.usage()
	if err != nil {
		return err
	}
	hundred, err := c.observe(ctx, wayWindow)
	if err != nil {
		return err
	}
	usedAfter, err := c.usage()
	if err != nil {
		return err
	}
	after, err := c.looks(ctx)
	if err != nil {
		return err
	}
	writesAfter, err := c.writes(ctx)
	if err != nil {
		return err
	}
	n := after.count - before.count
	if n < wayResources {
		return fmt.Errorf("only %v looks within %s", n, wayWindow)
	}
	used := usedAfter.sub(usedBefore)
	per := func(d time.Duration) float64 { return seconds(d) * 1000 / n }
	const rawRead = "the provider's Read alone"
	const unchanged = "in a cluster: unchanged reconcile"
	add(unchanged+", measured", n, "reconciles")
	add(unchanged+", API writes", float64(writesAfter.since(writes)), "writes")
	r.Ratio(figure.Figure{
		Name: unchanged + ", controller and what it starts", Column: way,
		Value: per(used.controller + used.provider), Unit: "ms CPU",
	}, rawRead)
	add(unchanged+", API server", per(used.apiserver), "ms CPU")
	r.Ratio(figure.Figure{
		Name: unchanged + ", time", Column: way, Value: (after.seconds - before.seconds) * 1000 / n, Unit: "ms",
	}, rawRead+", time")
	for _, x := range []struct {
		of string
		observed
	}{{"1 resource", one}, {fmt.Sprint(wayResources, " resources"), hundred}} {
		add("in a cluster: memory with "+x.of+", median", x.memory, "MiB")
		add("in a cluster: memory with "+x.of+", largest", x.memoryMax, "MiB")
		add("in a cluster: processes with "+x.of+", median", x.processes, "processes")
		add("in a cluster: processes with "+x.of+", most", x.processesMax, "processes")
	}
	return nil
}

// observed is the usage of the controller and its child processes at one time.
type observed struct{ memory, memoryMax, processes, processesMax float64 }

func (c *cluster) observe(ctx context.Context, d time.Duration) (o observed, _ error) {
	var memory, processes []float64
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		controller, provider, err := c.memory()
		if err != nil {
			return o, err
		}
		n := float64(1 + len(processtest.Children(c.controller.Process.Pid)))
		memory, processes = append(memory, controller+provider), append(processes, n)
		o.memoryMax, o.processesMax = max(o.memoryMax, controller+provider), max(o.processesMax, n)
	}
	o.memory, o.processes = figure.Median(memory), figure.Median(processes)
	return o, nil
}

// looks returns the number of reconciles of things so far, and their total time.
type looks struct{ count, seconds float64 }

func (c *cluster) looks(ctx context.Context) (l looks, _ error) {
	err := metrics(ctx, http.DefaultClient, "http://"+c.metrics, func(name, labels string, value float64) {
		if !strings.Contains(labels, `controller="managed/`+thing.Kind+`.`) {
			return
		}
		switch name {
		case "controller_runtime_reconcile_time_seconds_count":
			l.count += value
		case "controller_runtime_reconcile_time_seconds_sum":
			l.seconds += value
		}
	})
	return l, err
}

// configureCloud makes a provider configuration for resources of the cloud.
func (c *cluster) configureCloud(ctx context.Context, name string, spec map[string]any) error {
	config := cloudKind("clusterproviderconfigs", "ClusterProviderConfig", "")
	_, err := c.client.Resource(config.GroupVersionResource).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": config.GroupVersion().String(), "kind": config.Kind, "metadata": map[string]any{"name": name}, "spec": spec,
	}}, createNow)
	return err
}
