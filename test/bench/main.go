package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

var (
	strs = kind{
		GroupVersionResource: schema.GroupVersionResource{Group: "random.landbridge.io", Version: "v1alpha1", Resource: "strings"},
		Kind:                 "String", forProvider: `{"length":16}`,
	}
	listAll   = metav1.ListOptions{}
	getNow    = metav1.GetOptions{}
	createNow = metav1.CreateOptions{}
)

// kind is a kind of the created resources.
type kind struct {
	schema.GroupVersionResource
	Kind          string
	forProvider   string // JSON
	more          string // further fields of spec, each after a comma
	configuration string // name of the ClusterProviderConfig; empty if the default one
}

func newRequest(ctx context.Context, url string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
}

// get requests a URL, and fails unless the answer is 200. The caller closes its body.
func get(ctx context.Context, client *http.Client, url string) (*http.Response, error) {
	req, err := newRequest(ctx, url)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close() // its status tells
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return resp, err
}

func main() {
	var (
		bin   = flag.String("bin", "bin", "directory of the binaries that make build makes")
		write = flag.String("write", "", "Markdown file to put the figures into")
		only  = flag.String("only", "", "comma-separated parts to run: reconcile, slow, neighbours, longlife, "+
			"ways, data, scale, replicas, large, commands, crds; all but the last five by default")
		profile = flag.String("profile", "", "directory for profiles: of the processor time of the API server and "+
			"the controller while 780 resources are created, and with many, of that of the API server while nothing "+
			"changes, of the controller's heap and of its processor time after a restart")
		n      = flag.Int("resources", 10000, "number of resources of the parts large and commands")
		window = flag.Duration("window", time.Minute, "how long unchanged reconciles are measured")
	)
	flag.Parse()
	debug.SetGCPercent(400) // the measured processes share the processors with this program
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parts := []string{"reconcile", "slow", "neighbours", "longlife", "ways", "data"}
	if *only != "" {
		parts = strings.Split(*only, ",")
	}
	failed := false
	for _, part := range parts {
		r := &figure.Report{}
		var err error
		switch part {
		case "reconcile":
			err = reconcile(ctx, r, *bin, *window, *profile)
		case "slow":
			err = slow(ctx, r, *bin)
		case "neighbours":
			err = neighbours(ctx, r, *bin)
		case "longlife":
			err = longLife(ctx, r, *bin)
		case "data":
			err = dataSources(ctx, r, *bin)
		case "ways":
			err = ways(ctx, r, *bin)
		case "scale":
			err = scale(ctx, r, *bin)
		case "large":
			err = large(ctx, r, *bin, *n, *profile)
		case "replicas":
			err = replicas(ctx, r, *bin)
		case "crds":
			err = crdCosts(ctx, r, *bin)
		case "commands":
			err = remoteObjects(ctx, r, *bin, *n)
		default:
			err = fmt.Errorf("there is no part %q", part)
		}
		if err == nil && *write != "" {
			err = r.Write(*write, part)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %s\n", part, err)
			failed = true
		}
		for _, e := range r.Exceeded() {
			fmt.Fprintf(os.Stderr, "bench: out of bounds: %s\n", e)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// reconcile measures the life of random_string resources.
func reconcile(ctx context.Context, r *figure.Report, bin string, window time.Duration, profile string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	const poll = 10 * time.Second
	c, err := start(ctx, bin, settings{poll: poll, profiled: profile != ""})
	if err != nil {
		return err
	}
	defer c.stop()
	installed, err := c.install(ctx, "random", "hashicorp/random", "", "random_*")
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "install: random, 10 kinds, until served", Value: seconds(installed), Unit: "s"})

	// The API server delays creates of a kind in the first two seconds of its CRD, and
	// has further work for new resources once its OpenAPI has their group.
	time.Sleep(20 * time.Second)
	idle, err := c.idle(window)
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "idle, without resources: controller", Value: idle.controller.Seconds() * 1000, Unit: "ms CPU per second"})
	r.Add(figure.Figure{Name: "idle, without resources: API server", Value: idle.apiserver.Seconds() * 1000, Unit: "ms CPU per second"})
	if _, err := c.create(ctx, strs, "warm-up", 1, 1); err != nil {
		return err
	}
	controller, provider, err := c.memory()
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "memory: 1 resource, controller and provider", Value: controller + provider, Unit: "MiB"})

	var ones []time.Duration
	for i := range 100 {
		d, err := c.create(ctx, strs, fmt.Sprintf("one-%d", i), 1, 1)
		if err != nil {
			return err
		}
		ones = append(ones, d)
	}
	const oneFloor = "floor: the writes of one, p99"
	unserved, err := c.unserved(ctx, strs)
	if err != nil {
		return err
	}
	time.Sleep(3 * time.Second) // see above
	if _, _, err := c.minimalWrites(ctx, unserved, "warm-up", 1, 1); err != nil {
		return err
	}
	floors, _, err := c.minimalWrites(ctx, unserved, "one", 100, 1)
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: oneFloor, Value: seconds(figure.Percentile(floors, .99)), Unit: "s"})
	r.Add(figure.Figure{Name: "time to Ready: one, p50", Value: seconds(figure.Percentile(ones, .5)), Unit: "s"})
	r.Ratio(figure.Figure{Name: "time to Ready: one, p99", Value: seconds(figure.Percentile(ones, .99)), Unit: "s"}, oneFloor)

	if err := c.createMany(ctx, r, strs, unserved, profile); err != nil {
		return err
	}
	if _, err := c.create(ctx, strs, "rest", 1000-many-101, createWorkers); err != nil {
		return err
	}
	// Let the resources settle: statuses, first polls, and events, which are written slowly.
	if err := errors.Join(c.checkpointed(ctx, 1000), c.quiet(ctx)); err != nil {
		return err
	}
	writes, err := c.writes(ctx)
	if err != nil {
		return err
	}
	looks, err := c.looksBesideFloor(ctx, bin, window)
	if err != nil {
		return err
	}
	writesAfter, err := c.writes(ctx)
	if err != nil {
		return err
	}
	controller, provider, err = c.memory()
	if err != nil {
		return err
	}
	alone, err := c.alone(window)
	if err != nil {
		return err
	}
	used := looks.without(alone)
	per := func(d time.Duration) float64 { return d.Seconds() * 1000 / looks.n }
	const floorName = "floor: the same Read called directly, provider and client"
	r.Add(figure.Figure{Name: floorName, Value: looks.floor.total().Seconds() * 1000, Unit: "ms CPU"})
	r.Add(figure.Figure{Name: "floor: the same, client", Value: looks.floor.client.Seconds() * 1000, Unit: "ms CPU"})
	r.Ratio(figure.Figure{
		Name: "unchanged reconcile: controller, provider and API server", Value: per(used.total()),
		Unit: "ms CPU", MaxRatio: 1.3,
	}, floorName)
	r.Ratio(figure.Figure{Name: "unchanged reconcile: controller", Value: per(used.controller), Unit: "ms CPU"}, floorName)
	r.Ratio(figure.Figure{
		Name:  "unchanged reconcile: controller, beyond the client of the Read",
		Value: max(0, per(used.controller)-looks.floor.client.Seconds()*1000), Unit: "ms CPU", MaxRatio: ownShare,
	}, floorName)
	r.Ratio(figure.Figure{Name: "unchanged reconcile: provider", Value: per(used.provider), Unit: "ms CPU"}, floorName)
	r.Ratio(figure.Figure{Name: "unchanged reconcile: API server", Value: per(used.apiserver), Unit: "ms CPU"}, floorName)
	r.Add(figure.Figure{
		Name: "unchanged reconcile: API writes, all of them together", Value: float64(writesAfter.since(writes)),
		Unit: "writes", Bound: -1,
	})
	r.Add(figure.Figure{Name: "memory: 1,000 resources, controller", Value: controller, Unit: "MiB"})
	r.Add(figure.Figure{Name: "memory: 1,000 resources, provider", Value: provider, Unit: "MiB"})
	r.Add(figure.Figure{Name: "memory: 1,000 resources, controller and provider", Value: controller + provider, Unit: "MiB", Bound: 100})
	return nil
}

// ownShare is the bound of the controller's own share of a look: 0.15 ms where a Read, called
// directly, takes 0.9 ms.
const ownShare = 0.17

func seconds(d time.Duration) float64 { return d.Seconds() }

// create creates n resources with some workers, and waits until all are Ready. The time is from
// the first create to the last Ready. It shares the processors with the measured processes, so it
// prints and reads as little as possible.
func (c *cluster) create(ctx context.Context, k kind, name string, n, workers int) (time.Duration, error) {
	client, err := c.kindClient(k)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute+time.Duration(n)*40*time.Millisecond)
	defer cancel()
	open := func() (io.ReadCloser, error) {
		return client.Get().Namespace("default").Resource(k.Resource).
			Param("watch", "true").Param("labelSelector", "bench="+name).Stream(ctx)
	}
	events, err := open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = events.Close() }()
	group, ctx := errgroup.WithContext(ctx)
	var last time.Time
	group.Go(func() error {
		ready := map[string]bool{}
		for decoder := json.NewDecoder(events); len(ready) < n; {
			var e readiness
			err := decoder.Decode(&e)
			if errors.Is(err, io.EOF) && ctx.Err() == nil {
				// The API server closes watches of slow clients.
				_ = events.Close()
				if events, err = open(); err == nil {
					decoder = json.NewDecoder(events)
					continue
				}
			}
			if err != nil {
				return fmt.Errorf("%d of %d resources have become Ready: %w", len(ready), n, err)
			}
			if e.isReady() {
				ready[e.Object.Metadata.Name] = true
			}
		}
		last = time.Now()
		return nil
	})
	reference := ""
	if k.configuration != "" {
		reference = fmt.Sprintf(`,"providerConfigRef":{"kind":"ClusterProviderConfig","name":%q}`, k.configuration)
	}
	creates, createsCtx := errgroup.WithContext(ctx)
	creates.SetLimit(workers)
	began := time.Now()
	for i := range n {
		creates.Go(func() error {
			body := fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"name":"%s-%d","labels":{"bench":%q}},"spec":{"forProvider":%s%s%s}}`,
				k.GroupVersion(), k.Kind, name, i, name, k.forProvider, k.more, reference)
			return client.Post().Namespace("default").Resource(k.Resource).Body(body).Do(createsCtx).Error()
		})
	}
	group.Go(creates.Wait)
	if err := group.Wait(); err != nil {
		return 0, err
	}
	return last.Sub(began), nil
}

// kindClient returns a client of the API group of a kind.
func (c *cluster) kindClient(k kind) (*rest.RESTClient, error) {
	config := rest.CopyConfig(c.config)
	config.GroupVersion, config.APIPath, config.NegotiatedSerializer = ptr.To(k.GroupVersion()), "/apis", scheme.Codecs.WithoutConversion()
	return rest.RESTClientFor(config)
}

// change applies a merge patch to a resource, and waits until it is Ready with that. The time is
// from the first to the second.
func (c *cluster) change(ctx context.Context, k kind, name, patch string) (time.Duration, error) {
	client, err := c.kindClient(k)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := client.Patch(types.MergePatchType).Namespace("default").Resource(k.Resource).Name(name).
		Body([]byte(patch)).Do(ctx).Error(); err != nil {
		return 0, err
	}
	var took time.Duration
	err = c.until(ctx, 5*time.Minute, func() (bool, error) {
		time.Sleep(20 * time.Millisecond)
		b, err := client.Get().Namespace("default").Resource(k.Resource).Name(name).Do(ctx).Raw()
		if err != nil {
			return false, err
		}
		var now resource
		took, err = time.Since(began), json.Unmarshal(b, &now)
		return err == nil && now.isReady() && now.Status.ObservedGeneration == now.Metadata.Generation, err
	})
	return took, err
}

// resource is the relevant part of a resource.
type resource struct {
	Metadata struct {
		Name       string
		Generation int64
	}
	Status struct {
		ObservedGeneration int64
		Conditions         []metav1.Condition
	}
}

func (r resource) isReady() bool { return meta.IsStatusConditionTrue(r.Status.Conditions, "Ready") }

// readiness is the relevant part of a watch event.
type readiness struct {
	Type   watch.EventType
	Object resource
}

func (e readiness) isReady() bool {
	return e.Type != watch.Deleted && e.Object.isReady()
}
