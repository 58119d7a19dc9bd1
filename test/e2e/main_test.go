package e2e_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/testing/controllertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// poll is how often controllers in this process look at what has not changed.
const poll = time.Second

// system is the namespace of Landbridge's own objects.
const system = "landbridge-system"

// scratch is a directory of this test binary. Providers may write there as long
// as controllers run, which is longer than a test.
var scratch string

// everyone is the controller that most tests share.
var everyone struct {
	sync.Once
	cluster *cluster
	stop    func() error
	err     error
}

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // what is logged by none of the controllers
	klog.SetLogger(logr.Discard())
	var err error
	if scratch, err = os.MkdirTemp("", "landbridge-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// For releases that tests make themselves.
	if err := os.Mkdir(filepath.Join(scratch, "mirror"), 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// They wait more than they work, and more at once than there are processors.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(max(6, runtime.GOMAXPROCS(0)))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if everyone.stop != nil {
		if err := everyone.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "the shared controller ended with", err)
			code = 1
		}
	}
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// directory makes one for a test below scratch.
func directory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// shared is the cluster that tests share which do not stop its controller. Each
// uses provider names and a namespace of its own.
func shared(t *testing.T) *cluster {
	t.Helper()
	t.Parallel()
	everyone.Do(func() {
		server := playgroundtest.Start(t)
		c := &cluster{config: server.Config, log: filepath.Join(scratch, "controller.log")}
		if c.Client, everyone.err = client.New(server.Config, client.Options{}); everyone.err != nil {
			return
		}
		everyone.cluster = c
		everyone.stop, everyone.err = c.start(options(providertest.Mirror(t, "local", "random", "time", "hcloud")))
	})
	if everyone.err != nil {
		t.Fatal(everyone.err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the controller's log is %s", keep(t, everyone.cluster.log))
		}
	})
	return everyone.cluster
}

// keep saves a log from the end of the tests, and returns where it is.
func keep(t *testing.T, log string) string {
	content, err := os.ReadFile(log)
	if err != nil {
		return err.Error()
	}
	path := filepath.Join(os.TempDir(), "landbridge-e2e-"+strings.ReplaceAll(t.Name(), "/", "-")+".log")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return err.Error()
	}
	return path
}

// alone starts an API server for one test. It has no controller yet.
func alone(t *testing.T) *cluster {
	t.Helper()
	server := playgroundtest.New(t, playgroundtest.Options{})
	cl, err := client.New(server.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{Client: cl, config: server.Config, log: filepath.Join(directory(t), "controller.log")}
}

func options(mirror string) controller.Options {
	return controller.Options{
		Namespace: system,
		Installer: &install.Installer{CacheDir: filepath.Join(scratch, "cache"), Mirrors: []string{mirror, filepath.Join(scratch, "mirror")}},
		Poll:      poll, Workers: 10, StartTimeout: 10 * time.Second,
		ReconcileTimeout: time.Minute, OperationTimeout: 10 * time.Minute, OperationsPerConfiguration: 100,
		GracePeriod: limit, EventsPerSecond: 100, MetricsAddress: "0", HealthAddress: "0", ProfileAddress: "0",
	}
}

// start runs a controller in this process until stop is called, which returns
// how it ended. Its log is appended to the cluster's.
func (c *cluster) start(o controller.Options) (stop func() error, err error) {
	log, err := os.OpenFile(c.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	o.Logger = zap.New(zap.UseDevMode(false), zap.WriteTo(log), zap.Level(zapcore.Level(-10)))
	o.Pool.Logger = o.Logger.WithName("pool")
	end := controllertest.Run(c.config, o, 2*limit)
	stop = sync.OnceValue(func() error { return errors.Join(end(), log.Close()) })
	if o.Packaged != nil {
		return stop, nil // it has no TerraformProviders
	}
	err = wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, limit, true, func(ctx context.Context) (bool, error) {
		return c.List(ctx, &unstructured.UnstructuredList{Object: m{"apiVersion": "landbridge.io/v1alpha1", "kind": "TerraformProviderList"}}) == nil, nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("TerraformProviders are not served: %w", err), stop())
	}
	return stop, nil
}

// control runs a controller until the test ends or stop is called.
func (c *cluster) control(t *testing.T, o controller.Options) (stop func()) {
	t.Helper()
	end, err := c.start(o)
	if err != nil {
		t.Fatal(err)
	}
	stop = func() {
		t.Helper()
		if err := end(); err != nil {
			t.Errorf("the controller ended with %v", err)
		}
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("the controller's log is %s", keep(t, c.log))
		}
	})
	return stop
}

// namespace makes one for the test.
func (c *cluster) namespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{}
	ns.GenerateName = "test-"
	if err := c.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	return ns.Name
}
