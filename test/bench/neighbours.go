package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

const (
	// neighbourConfigurations hang, each with as many resources.
	neighbourConfigurations, neighbourResources = 20, 10
	// victimUpdates are measured alone, and again beside the neighbours.
	victimUpdates = 200
	// hangingCalls is how many connections hang before the second measurement begins.
	hangingCalls = 10
)

// neighbours updates a resource again and again, first alone, and then while another namespace has
// many provider configurations whose endpoint accepts connections and never answers.
func neighbours(ctx context.Context, r *figure.Report, bin string) error {
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
	if err := errors.Join(
		c.installCloud(ctx, "examplecloud_thing"),
		c.configureCloud(ctx, "default", map[string]any{"endpoint": cloud.url}),
	); err != nil {
		return err
	}
	time.Sleep(20 * time.Second) // as in reconcile
	if _, err := c.create(ctx, thing, "victim", 1, 1); err != nil {
		return err
	}
	const alone = "neighbours: update of a resource, alone, p99"
	size := int64(1)
	measure := func() (time.Duration, error) {
		i := 0
		took, err := c.updates(ctx, thing, "victim-0", "size",
			func(int) any { size++; return size }, func() bool { i++; return i > victimUpdates })
		return figure.Percentile(took, .99), err
	}
	took, err := measure()
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: alone, Value: seconds(took), Unit: "s"})

	silent, err := startSilent(ctx)
	if err != nil {
		return err
	}
	defer silent.stop()
	if err := c.createNeighbours(ctx, silent.url); err != nil {
		return err
	}
	if err := c.until(ctx, time.Minute, func() (bool, error) { return silent.connections.Load() >= hangingCalls, nil }); err != nil {
		return fmt.Errorf("%d calls of the neighbours hang: %w", silent.connections.Load(), err)
	}
	if took, err = measure(); err != nil {
		return err
	}
	r.Ratio(figure.Figure{
		Name:  fmt.Sprintf("neighbours: the same while %d configurations of another namespace hang, p99", neighbourConfigurations),
		Value: seconds(took), Unit: "s", MaxRatio: 2,
	}, alone)
	return nil
}

// createNeighbours makes a namespace with provider configurations of an endpoint, and resources of
// each.
func (c *cluster) createNeighbours(ctx context.Context, endpoint string) error {
	kube, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return err
	}
	const namespace = "neighbours"
	if _, err := kube.CoreV1().Namespaces().
		Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, createNow); err != nil {
		return err
	}
	config := cloudKind("providerconfigs", "ProviderConfig", "")
	create := func(k kind, name string, spec map[string]any) error {
		_, err := c.client.Resource(k.GroupVersionResource).Namespace(namespace).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": k.GroupVersion().String(), "kind": k.Kind, "metadata": map[string]any{"name": name}, "spec": spec,
		}}, createNow)
		return err
	}
	for i := range neighbourConfigurations {
		name := fmt.Sprintf("hangs-%d", i)
		if err := create(config, name, map[string]any{"endpoint": endpoint + "/" + name}); err != nil {
			return err
		}
		for j := range neighbourResources {
			spec := map[string]any{
				"forProvider":       map[string]any{"name": fmt.Sprintf("%s-%d", name, j)},
				"providerConfigRef": map[string]any{"kind": config.Kind, "name": name},
			}
			if err := create(thing, fmt.Sprintf("%s-%d", name, j), spec); err != nil {
				return err
			}
		}
	}
	return nil
}

// silentEndpoint accepts connections, and never answers.
type silentEndpoint struct {
	url         string
	connections atomic.Int64
	stop        func()
}

func startSilent(ctx context.Context) (*silentEndpoint, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &silentEndpoint{url: "http://" + l.Addr().String(), stop: func() { _ = l.Close() }}
	go func() {
		var open []net.Conn // they end with the program
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open = append(open, conn)
			s.connections.Store(int64(len(open)))
		}
	}()
	return s, nil
}
