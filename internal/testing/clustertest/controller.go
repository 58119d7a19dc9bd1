package clustertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// stopLimit is longer than the controller's own grace period.
const stopLimit = 2 * waittest.Limit

// Options returns the options of a controller for tests. Providers come from the mirrors
// and are copied to cache.
func Options(poll time.Duration, cache string, mirrors ...string) controller.Options {
	return controller.Options{
		Namespace: System,
		Installer: &install.Installer{CacheDir: cache, Mirrors: mirrors, Private: true},
		Poll:      poll, Workers: 10, StartTimeout: 30 * time.Second,
		ReconcileTimeout: time.Minute, OperationTimeout: 10 * time.Minute, CreationGracePeriod: -1, OperationsPerConfiguration: 100,
		GracePeriod: time.Minute, EventsPerSecond: 1000, MetricsAddress: "0", HealthAddress: "0", ProfileAddress: "0",
		Logger: logr.Discard(),
	}
}

// StartController runs a controller in this process until stop is called. stop returns how the
// controller ended; it is an error if that takes too long. The controller has the permissions that
// deploy/rbac gives it, unless it is one for a single provider.
func (c *Cluster) StartController(o controller.Options) (stop func() error, err error) {
	logger, closeLog, err := c.Logger()
	if err != nil {
		return nil, err
	}
	o.Logger, o.Pool.Logger = logger, logger.WithName("pool")
	config := c.Config
	if o.Packaged == nil {
		if config, err = c.restricted(context.Background()); err != nil {
			return nil, errors.Join(err, closeLog())
		}
	}
	end := run(config, o)
	stop = sync.OnceValue(func() error { return errors.Join(end(), closeLog()) })
	if o.Packaged != nil {
		return stop, nil // it has no TerraformProviders
	}
	err = waittest.Succeed(context.Background(), func(ctx context.Context) error {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("landbridge.io/v1alpha1")
		list.SetKind("TerraformProviderList")
		return c.List(ctx, list)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("TerraformProviders are not served: %w", err), stop())
	}
	return stop, nil
}

// RunController runs a controller in this process until the test ends or stop is called. The
// test fails if the controller ends with an error.
func (c *Cluster) RunController(tb testing.TB, o controller.Options) (stop func()) {
	tb.Helper()
	end, err := c.StartController(o)
	if err != nil {
		tb.Fatal(err)
	}
	stop = func() {
		tb.Helper()
		if err := end(); err != nil {
			tb.Errorf("the controller ended with %v", err)
		}
	}
	tb.Cleanup(func() {
		stop()
		c.ShowLog(tb)
	})
	return stop
}

// Logger returns a logger that appends to c.Log.
func (c *Cluster) Logger() (_ logr.Logger, closeLog func() error, err error) {
	if c.Log == "" {
		return logr.Discard(), func() error { return nil }, nil
	}
	file, err := os.OpenFile(c.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return logr.Logger{}, nil, err
	}
	return controller.NewLogger(file, c.Verbosity), file.Close, nil
}

func run(config *rest.Config, o controller.Options) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx, rest.CopyConfig(config), o) }()
	return func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(stopLimit):
			return fmt.Errorf("the controller did not stop within %s", stopLimit)
		}
	}
}
