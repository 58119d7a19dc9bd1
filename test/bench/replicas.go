package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/landbridge-io/landbridge/internal/testing/nettest"
	"github.com/landbridge-io/landbridge/test/bench/figure"
)

const (
	accounts   = 30 // provider configurations, each of an account of its own
	perAccount = 10 // resources of each
	// slowRead is how long the cloud takes for each read. A worker waits for it.
	slowRead = 3 * time.Second
	// workers is the number of workers of the kind in each replica, in all shards of the replica
	// together.
	workers        = 10
	sharing        = 3 // replicas that share the work
	shards         = 6 // of all replicas together
	replicasWindow = 10 * slowRead
	// sharingAtMost is the bound of the time of the sharing replicas, as a part of that of one.
	sharingAtMost = 1 / 2.5
)

// replicas compares three replicas that share the work by shards with one replica, on the same
// resources of thirty accounts.
//
// What limits a replica here is the number of its workers (--workers): each waits for the cloud,
// which takes three seconds for each read, and the processors are mostly idle. A shard has workers
// of its own, so the flag is such that each replica has as many workers, whether it has no shards
// or holds two. A change and a look each need a worker for one read.
func replicas(ctx context.Context, r *figure.Report, bin string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cloud, err := startCloud(ctx)
	if err != nil {
		return err
	}
	defer cloud.stop()
	c, err := start(ctx, bin, settings{poll: time.Hour, args: []string{"--workers", strconv.Itoa(workers)}})
	if err != nil {
		return err
	}
	defer c.stop()
	if err := c.installCloud(ctx, "examplecloud_thing"); err != nil {
		return err
	}
	if err := c.createAccounts(ctx, cloud); err != nil {
		return err
	}
	if err := c.quiet(ctx); err != nil {
		return err
	}
	if err := cloud.fault(ctx, map[string]any{"on": "read", "collection": thing.Resource, "delay": slowRead.String()}); err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "replicas: provider configurations", Value: accounts, Unit: "configurations"})
	r.Add(figure.Figure{Name: "replicas: resources", Value: accounts * perAccount, Unit: "resources"})
	one, err := work(ctx, c, []*cluster{c}, 2)
	if err != nil {
		return fmt.Errorf("one replica: %w", err)
	}

	share := []string{"--leader-elect=true", "--shards", strconv.Itoa(shards), "--workers", strconv.Itoa(workers * sharing / shards)}
	if err := c.restart(share...); err != nil {
		return err
	}
	all := []*cluster{c}
	for i := range sharing - 1 {
		peer, stop, err := c.peer(fmt.Sprintf("peer-%d", i))
		if err != nil {
			return err
		}
		defer stop()
		all = append(all, peer)
	}
	if err := c.until(ctx, 2*time.Minute, func() (bool, error) { return shared(ctx, all), nil }); err != nil {
		return fmt.Errorf("the replicas do not share the work: %w", err)
	}
	several, err := work(ctx, c, all, 3)
	if err != nil {
		return fmt.Errorf("%d replicas: %w", sharing, err)
	}
	for _, f := range []struct {
		what, unit   string
		one, several float64
		maxRatio     float64
	}{
		{"change all resources at once, last is Synced after", "s", seconds(one.change), seconds(several.change), sharingAtMost},
		{"1,000 looks at unchanged resources", "s", seconds(one.look) * 1000, seconds(several.look) * 1000, sharingAtMost},
		{"largest memory of a controller", "MiB", one.controller, several.controller, 0},
		{"largest memory of a controller and its providers", "MiB", one.memory, several.memory, 0},
	} {
		name := "replicas: one: " + f.what
		r.Add(figure.Figure{Name: name, Value: f.one, Unit: f.unit})
		r.Ratio(figure.Figure{Name: fmt.Sprintf("replicas: %d: %s", sharing, f.what), Value: f.several, Unit: f.unit, MaxRatio: f.maxRatio}, name)
	}
	return nil
}

// worked is what replicas took for the same work.
type worked struct {
	change, look       time.Duration
	controller, memory float64 // the largest of one replica, in MiB
}

// work changes all resources once, and then has them looked at as often as possible.
func work(ctx context.Context, c *cluster, all []*cluster, size int64) (out worked, err error) {
	if out.change, err = c.resize(ctx, size); err != nil {
		return out, err
	}
	if err := c.pollEvery(ctx, time.Second); err != nil {
		return out, err
	}
	looks := func() (total float64, _ error) {
		for _, c := range all {
			n, err := c.sum(ctx, "landbridge_provider_call_duration_seconds_count", `method="ReadResource"`)
			if err != nil {
				return 0, err
			}
			total += n
		}
		return total, nil
	}
	before, err := looks()
	if err != nil {
		return out, err
	}
	began := time.Now()
	time.Sleep(replicasWindow)
	after, err := looks()
	took := time.Since(began)
	if err == nil && after == before {
		err = errors.New("no resource was looked at")
	}
	if err != nil {
		return out, err
	}
	out.look = time.Duration(float64(took) / (after - before))
	for _, c := range all {
		controller, providers, err := c.memory()
		if err != nil {
			return out, err
		}
		out.controller, out.memory = max(out.controller, controller), max(out.memory, controller+providers)
	}
	return out, c.pollEvery(ctx, time.Hour)
}

// createAccounts creates provider configurations, each with a token of its own, and the resources
// of each.
func (c *cluster) createAccounts(ctx context.Context, cloud *exampleCloud) error {
	kube, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for i := range accounts {
		name := fmt.Sprintf("account-%d", i)
		group.Go(func() error {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"token": "token of " + name}}
			if _, err := kube.CoreV1().Secrets(metav1.NamespaceDefault).Create(ctx, secret, createNow); err != nil {
				return err
			}
			token := map[string]any{"namespace": metav1.NamespaceDefault, "name": name, "key": "token"}
			if err := c.configureCloud(ctx, name, map[string]any{"endpoint": cloud.url, "tokenSecretRef": token}); err != nil {
				return err
			}
			of := thing
			of.configuration = name
			_, err := c.create(ctx, of, name, perAccount, 1)
			return err
		})
	}
	return group.Wait()
}

// resize changes the size of all resources at once, and waits until it is that of the objects.
func (c *cluster) resize(ctx context.Context, size int64) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	client := c.client.Resource(thing.GroupVersionResource).Namespace(metav1.NamespaceDefault)
	group, groupCtx := errgroup.WithContext(ctx)
	began := time.Now()
	group.Go(func() error { return c.patchAll(groupCtx, fmt.Sprintf(`{"spec":{"forProvider":{"size":%d}}}`, size)) })
	var last time.Time
	group.Go(func() error {
		done := map[string]bool{}
		for len(done) < accounts*perAccount {
			// The API server closes watches of slow clients. A new one begins with all resources as
			// they are.
			w, err := client.Watch(groupCtx, listAll)
			if err != nil {
				return fmt.Errorf("%d of %d resources are changed: %w", len(done), accounts*perAccount, err)
			}
			for e := range w.ResultChan() {
				if u, ok := e.Object.(*unstructured.Unstructured); ok && applied(u, "size", size) {
					done[u.GetName()] = true
				}
				if len(done) == accounts*perAccount {
					break
				}
			}
			w.Stop()
		}
		last = time.Now()
		return nil
	})
	err := group.Wait()
	return last.Sub(began), err
}

// pollEvery sets the interval at which all resources are looked at.
func (c *cluster) pollEvery(ctx context.Context, interval time.Duration) error {
	return c.patchAll(ctx, fmt.Sprintf(`{"metadata":{"annotations":{"crossplane.io/poll-interval":%q}}}`, interval))
}

// patchAll patches all resources, in turn those of all configurations.
func (c *cluster) patchAll(ctx context.Context, merge string) error {
	client := c.client.Resource(thing.GroupVersionResource).Namespace(metav1.NamespaceDefault)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range accounts * perAccount {
		group.Go(func() error {
			name := fmt.Sprintf("account-%d-%d", i%accounts, i/accounts)
			_, err := client.Patch(ctx, name, types.MergePatchType, []byte(merge), metav1.PatchOptions{})
			return err
		})
	}
	return group.Wait()
}

// peer starts another controller with the arguments of the first.
func (c *cluster) peer(name string) (_ *cluster, stop func(), err error) {
	out := *c
	if out.metrics, err = nettest.FreeAddress(); err != nil {
		return nil, nil, err
	}
	out.args = append(slices.Clone(c.args), "--metrics-address", out.metrics)
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		return nil, nil, err
	}
	if err := out.run(log); err != nil {
		return nil, nil, errors.Join(err, log.Close())
	}
	return &out, func() {
		_ = out.controller.Process.Signal(syscall.SIGTERM)
		_ = out.controller.Wait()
		_ = log.Close()
	}, nil
}

// shared reports whether each replica works on its part of the shards, and has observed all
// resources there.
func shared(ctx context.Context, all []*cluster) bool {
	time.Sleep(100 * time.Millisecond)
	known := 0.0
	for _, c := range all {
		held := map[string]bool{}
		err := metrics(ctx, http.DefaultClient, "http://"+c.metrics, func(name, labels string, value float64) {
			if name == "landbridge_resources" && value > 0 {
				known += value
				held[shardLabel.FindString(labels)] = true
			}
		})
		if err != nil || len(held) != shards/len(all) {
			return false // it does not answer yet, or waits for others to give up a shard
		}
		if unobserved, err := c.sum(ctx, "landbridge_resources_unobserved", ""); err != nil || unobserved > 0 {
			return false
		}
	}
	return known == accounts*perAccount
}

var shardLabel = regexp.MustCompile(`shard="\d+"`)
