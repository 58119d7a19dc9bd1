package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/bench/figure"
)

const (
	slowCreates = 500
	slowTask    = 30 * time.Second       // duration of a create in the cloud
	slowUpdate  = 500 * time.Millisecond // duration of an update in the cloud
)

var (
	thing = cloudKind("things", "Thing", `{"name":"thing"}`)
	alias = cloudKind("alias", "Alias", `{"name":"alias"}`)
)

func cloudKind(plural, kindName, forProvider string) kind {
	return kind{
		GroupVersionResource: schema.GroupVersionResource{Group: "examplecloud.landbridge.io", Version: "v1alpha1", Resource: plural},
		Kind:                 kindName, forProvider: forProvider,
	}
}

// slow creates many resources at once, each of which takes half a minute in the cloud, and
// meanwhile updates one resource of the same kind and one of another. All have the same provider
// configuration.
func slow(ctx context.Context, r *figure.Report, bin string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cloud, err := startCloud(ctx)
	if err != nil {
		return err
	}
	defer cloud.stop()
	c, err := start(ctx, bin, settings{poll: time.Minute})
	if err != nil {
		return err
	}
	defer c.stop()
	if err := c.installCloud(ctx, "examplecloud_thing", "examplecloud_alias"); err != nil {
		return err
	}
	if err := c.configureCloud(ctx, "default", map[string]any{"endpoint": cloud.url}); err != nil {
		return err
	}
	time.Sleep(20 * time.Second) // as in reconcile
	for _, k := range []kind{thing, alias} {
		if _, err := c.create(ctx, k, "other", 1, 1); err != nil {
			return err
		}
	}
	before, providerBefore, err := c.memory()
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "slow creates: memory before, controller", Value: before, Unit: "MiB"})
	r.Add(figure.Figure{Name: "slow creates: memory before, provider", Value: providerBefore, Unit: "MiB"})

	if err := cloud.fault(ctx, map[string]any{"on": "create", "task_delay": slowTask.String()}); err != nil {
		return err
	}
	if err := cloud.fault(ctx, map[string]any{"on": "update", "delay": slowUpdate.String()}); err != nil {
		return err
	}
	var (
		ready                          atomic.Bool
		took                           time.Duration
		sameKind, otherKind            []time.Duration
		controller, providerMax, total float64
		underWay                       int
	)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		defer ready.Store(true)
		took, err = c.create(groupCtx, thing, "slow", slowCreates, createWorkers)
		return err
	})
	group.Go(func() (err error) {
		sameKind, err = c.updates(groupCtx, thing, "other-0", "size", func(i int) any { return int64(i + 2) }, ready.Load)
		return err
	})
	group.Go(func() (err error) {
		otherKind, err = c.updates(groupCtx, alias, "other-0", "target", func(i int) any { return fmt.Sprintf("t-%d", i) }, ready.Load)
		return err
	})
	group.Go(func() error {
		for ; !ready.Load() && groupCtx.Err() == nil; time.Sleep(250 * time.Millisecond) {
			m, p, err := c.memory()
			if err != nil {
				return err
			}
			controller, providerMax, total = max(controller, m), max(providerMax, p), max(total, m+p)
		}
		return nil
	})
	group.Go(func() (err error) {
		time.Sleep(slowTask / 2)
		underWay, err = cloud.running(groupCtx)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if underWay != slowCreates {
		return fmt.Errorf("after %s, %d creates were under way in the cloud, and not %d", slowTask/2, underWay, slowCreates)
	}
	r.Add(figure.Figure{Name: "slow creates: 500 of 30 s at once, last is Ready after", Value: seconds(took), Unit: "s", Bound: 40})
	for _, u := range []struct {
		name string
		took []time.Duration
	}{{"of the same kind", sameKind}, {"of another kind", otherKind}} {
		beyond := func(p float64) float64 { return seconds(figure.Percentile(u.took, p) - slowUpdate) }
		r.Add(figure.Figure{Name: "slow creates: updates of a resource " + u.name + " meanwhile", Value: float64(len(u.took)), Unit: "updates"})
		r.Add(figure.Figure{Name: "slow creates: update " + u.name + ", time beyond what the cloud takes, p50", Value: beyond(.5), Unit: "s"})
		r.Add(figure.Figure{
			Name: "slow creates: update " + u.name + ", time beyond what the cloud takes, longest", Value: beyond(1),
			Unit: "s", Bound: 2,
		})
	}
	r.Add(figure.Figure{Name: "slow creates: largest memory of the controller", Value: controller, Unit: "MiB", Bound: 100})
	r.Add(figure.Figure{Name: "slow creates: largest memory of the provider", Value: providerMax, Unit: "MiB"})
	r.Add(figure.Figure{Name: "slow creates: largest memory, controller and provider", Value: total, Unit: "MiB", Bound: 300})
	return nil
}

// updates repeatedly updates one resource until it is stopped. It returns the time that each update
// takes, from the write of the spec to the status.
func (c *cluster) updates(
	ctx context.Context, k kind, name, field string, value func(int) any, ended func() bool,
) (took []time.Duration, _ error) {
	client := c.client.Resource(k.GroupVersionResource).Namespace("default")
	w, err := client.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	for i := 0; !ended(); i++ {
		want := value(i)
		patch, err := json.Marshal(map[string]any{"spec": map[string]any{"forProvider": map[string]any{field: want}}})
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if _, err := client.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return nil, err
		}
		limit := time.After(time.Minute)
		for done := false; !done; {
			select {
			case e, ok := <-w.ResultChan():
				u, isObject := e.Object.(*unstructured.Unstructured)
				if !ok || !isObject {
					return nil, fmt.Errorf("the watch of %s ended: %v", name, e.Object)
				}
				done = applied(u, field, want)
			case <-limit:
				return nil, fmt.Errorf("update %d of %s did not end within a minute", i, name)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		took = append(took, time.Since(began))
		time.Sleep(200 * time.Millisecond)
	}
	return took, nil
}

// installCloud builds the provider of the cloud, and installs it with some of its types.
func (c *cluster) installCloud(ctx context.Context, types ...string) error {
	provider, err := testbin.Build(ctx, examplecloudtest.ProviderProgram(examplecloudtest.Framework6))
	if err == nil {
		_, err = c.install(ctx, "examplecloud", provider, "", types...)
	}
	return err
}

// applied reports whether the object has the value of a field.
func applied(u *unstructured.Unstructured, field string, want any) bool {
	have, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "atProvider", field)
	return have == want && objecttest.IsTrue(u, "Synced")
}

// exampleCloud is the example cloud as a separate process.
type exampleCloud struct {
	url  string
	stop func()
}

func startCloud(ctx context.Context) (*exampleCloud, error) {
	dir, err := os.MkdirTemp("", "landbridge-bench")
	if err != nil {
		return nil, err
	}
	cloud, stop, err := examplecloudtest.Run(ctx, dir)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return &exampleCloud{url: cloud.URL, stop: func() {
		_ = stop()
		_ = os.RemoveAll(dir)
	}}, nil
}

// fault adds a fault or delay, as described in the cloud's package api.
func (c *exampleCloud) fault(ctx context.Context, fault map[string]any) error {
	body, err := json.Marshal(fault)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, "/admin/faults", bytes.NewReader(body), nil)
}

// running returns the number of creates in progress.
func (c *exampleCloud) running(ctx context.Context) (int, error) {
	var tasks []json.RawMessage
	err := c.call(ctx, http.MethodGet, "/v1/tasks", nil, &tasks)
	return len(tasks), err
}

func (c *exampleCloud) call(ctx context.Context, method, path string, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(text, into)
}
