package scheduler_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// counted returns a cloud whose requests are counted.
func counted(t *testing.T, cloud *examplecloudtest.Cloud) (*examplecloudtest.Cloud, *atomic.Int64) {
	t.Helper()
	to, err := url.Parse(cloud.URL)
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return &examplecloudtest.Cloud{URL: server.URL}, &n
}

// reticent is an engine whose lists do not tell an attribute.
type reticent struct {
	*engine.Engine
	untold string
}

func (x reticent) ListStates(
	ctx context.Context, r terraform.ResourceType, arguments map[string]cty.Value, limit int,
	each func(identity, state cty.Value),
) (bool, diagnostic.Diagnostics) {
	return x.Engine.ListStates(ctx, r, arguments, limit, func(identity, state cty.Value) {
		values := state.AsValueMap()
		values[x.untold] = cty.NullVal(values[x.untold].Type())
		each(identity, cty.ObjectVal(values))
	})
}

// pass is the resources of many objects, which are looked at once each minute.
type pass struct {
	t        *testing.T
	clock    *clocktesting.FakeClock
	sched    *scheduler.Scheduler
	requests []scheduler.Request
	sent     *atomic.Int64
}

// run looks at all objects a minute later, and returns the number of requests to the cloud, and the
// resources whose object is not up to date.
func (p *pass) run() (requests int64, differ []int) {
	p.t.Helper()
	p.clock.Step(time.Minute)
	before := p.sent.Load()
	upToDate := make([]bool, len(p.requests))
	var group errgroup.Group
	group.SetLimit(4)
	for i := range p.requests {
		group.Go(func() error {
			o, err := p.sched.Observe(p.t.Context(), p.requests[i])
			upToDate[i] = err == nil && o.UpToDate()
			return err
		})
	}
	if err := group.Wait(); err != nil {
		p.t.Fatal(err)
	}
	for i, ok := range upToDate {
		if !ok {
			differ = append(differ, i)
		}
	}
	return p.sent.Load() - before, differ
}

// TestLookByListOfProvider looks at 1,000 objects of a real provider by its list.
func TestLookByListOfProvider(t *testing.T) {
	t.Parallel()
	const n, every = 1000, 100
	cloud := examplecloudtest.Start(t)
	through, sent := counted(t, cloud)
	provider, server := examplecloudtest.Open(t, examplecloudtest.Framework6, through, nil)
	resource := terraform.ResourceType{Schema: provider.Resources["examplecloud_thing"].Schema}
	ex := reticent{engine.New(server), "size"}
	records := newMemory(&events{})
	p := &pass{t: t, clock: clocktesting.NewFakeClock(time.Now()), sent: sent}
	p.sched = scheduler.New(scheduler.Options{Store: records, Logger: logr.Discard(), Clock: p.clock})
	ids := make([]string, n)
	var group errgroup.Group
	group.SetLimit(4)
	for i := range n {
		group.Go(func() error {
			made := cloud.Make(t, "things", map[string]any{
				"name": fmt.Sprint("thing-", i), "region": "us-east-1", "size": 1,
				"tags": map[string]any{"n": fmt.Sprint(i)},
			})
			ids[i] = made["id"].(string)
			return nil
		})
	}
	_ = group.Wait()
	for i, id := range ids {
		in, diags := ex.Import(t.Context(), resource, terraform.ImportTarget{ID: id})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		in.Status = instance.Full
		key := store.Key{Group: "test", Kind: "Thing", Namespace: "team", Name: fmt.Sprint(i)}
		if _, err := records.Save(t.Context(), key, resource.Schema, store.Record{Owner: types.UID(key.Name), Instance: in}); err != nil {
			t.Fatal(err)
		}
		values := in.State.AsValueMap()
		values["id"] = cty.NullVal(cty.String)
		p.requests = append(p.requests, scheduler.Request{
			Resource: scheduler.Resource{
				Key:        key,
				UID:        types.UID(key.Name),
				Generation: 1,
				Type:       resource,
			},
			Access: scheduler.Access{
				ProviderConfiguration: "default",
				Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return ex, func() {}, nil
				},
			},
			Desired: scheduler.Desired{
				Policies:   desired.FullControl(),
				Config:     &terraform.Config{Value: cty.ObjectVal(values)},
				ConfigHash: key.Name,
				ListRefresh: &scheduler.ListRefresh{
					Arguments: func(state cty.Value) (map[string]cty.Value, string) {
						return map[string]cty.Value{"region": state.GetAttr("region")}, ""
					},
					ReadEvery: every, Interval: time.Minute,
				},
			},
		})
	}
	if requests, differ := p.run(); requests < n || len(differ) > 0 {
		t.Fatalf("the first pass took %d requests, and found that %v differ", requests, differ)
	}
	var counts []int64
	for range 5 {
		requests, differ := p.run()
		if requests > 20 || len(differ) > 0 {
			t.Errorf("a pass took %d requests, and found that %v differ", requests, differ)
		}
		counts = append(counts, requests)
	}
	t.Logf("requests of passes over %d unchanged objects: %v", n, counts)

	cloud.Change(t, "things", ids[7], map[string]any{"name": "changed"})
	cloud.Change(t, "things", ids[8], map[string]any{"tags": nil})
	cloud.Remove(t, "things", ids[9])
	if requests, differ := p.run(); !slices.Equal(differ, []int{7, 8, 9}) || requests > 25 {
		t.Errorf("a change, one of tags and a deletion: %v differ after %d requests", differ, requests)
	}
	const soon = 10
	for i := range p.requests {
		p.requests[i].ListRefresh.ReadEvery = soon
	}
	cloud.Change(t, "things", ids[11], map[string]any{"size": 5})
	for looks := 1; ; looks++ {
		_, differ := p.run()
		if slices.Contains(differ, 11) {
			t.Logf("a change of what the list does not tell was found by look %d of at most %d", looks, soon)
			return
		}
		if looks >= soon {
			t.Fatalf("a change of what the list does not tell is not found after %d looks", looks)
		}
	}
}
