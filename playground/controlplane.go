package playground

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/landbridge-io/landbridge/playground/internal/pki"
)

const (
	// startTimeout is generous: two seconds on a quiet machine, but minutes on one with twenty
	// times as much to do as it can.
	startTimeout = 10 * time.Minute
	// stopTimeout bounds each of the steps of Stop.
	stopTimeout = 20 * time.Second
)

// Options configures Start. The zero value is a control plane that Stop deletes.
type Options struct {
	// Dir holds etcd's data, certificates and the kubeconfig. A later start on
	// the same directory continues where the last one stopped. Defaults to a
	// temporary directory, which Stop removes.
	Dir string
	// Port on 127.0.0.1 for the API server. Defaults to a free one.
	Port int
	// Kubeconfig is the path of the kubeconfig. Defaults to "kubeconfig" in Dir.
	Kubeconfig string
	// LogFile receives the log of etcd. Defaults to none. The API server logs
	// through klog, which is global to the process and set up by the caller.
	LogFile string
	// NoFsync lets etcd lose its last writes when the machine (not just the
	// process) dies. For tests.
	NoFsync bool
	// NoCacheChecks leaves out that the API server compares its caches with etcd every five
	// minutes. It reads and decodes all objects for that, in this process from then on.
	NoCacheChecks bool
	// NoControllers leaves out kube-controller-manager's controllers: namespaces are not
	// emptied, and nothing is garbage-collected.
	NoControllers bool
}

// ControlPlane is a running control plane.
type ControlPlane struct {
	// Config is a client configuration of a cluster administrator.
	Config *rest.Config
	// Kubeconfig is the path of a kubeconfig file for the same user.
	Kubeconfig string

	undo []func() // what Stop does, last first
	stop sync.Once
	done chan struct{} // closed when the API server has ended
	err  error         // why it ended; to be read after done
}

// Start runs a control plane and returns when it is ready: namespace "default"
// exists and custom resource definitions can be created. Cancelling ctx
// aborts the start; it does not stop a control plane that has started.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	c := &ControlPlane{done: make(chan struct{})}
	if err := c.start(ctx, o); err != nil {
		c.Stop()
		return nil, fmt.Errorf("starting the control plane: %w", err)
	}
	return c, nil
}

// Stop ends the control plane: first the controllers, then the API server, at
// last etcd (an API server never ends once its store is gone). It may be called
// more than once.
func (c *ControlPlane) Stop() {
	c.stop.Do(func() {
		for i := len(c.undo) - 1; i >= 0; i-- {
			c.undo[i]()
		}
	})
}

// Done is closed when the API server has ended, whether by Stop or by itself.
func (c *ControlPlane) Done() <-chan struct{} { return c.done }

// Err returns why the API server ended. It is nil while it runs and after Stop.
func (c *ControlPlane) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

func (c *ControlPlane) start(ctx context.Context, o Options) error {
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "landbridge-playground-")
		if err != nil {
			return err
		}
		o.Dir = dir
		c.undo = append(c.undo, func() { os.RemoveAll(dir) })
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	unlock, err := lockDir(o.Dir)
	if err != nil {
		return err
	}
	c.undo = append(c.undo, unlock)
	certs, err := pki.In(filepath.Join(o.Dir, "pki"))
	if err != nil {
		return err
	}
	store, err := startEtcd(ctx, filepath.Join(o.Dir, "etcd"), o.LogFile, o.NoFsync)
	if err != nil {
		return err
	}
	c.undo = append(c.undo, store.stop)

	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return err
	}
	// Its own context: the server outlives the one of Start.
	serverCtx, stopServer := context.WithCancel(context.Background())
	serve, err := newAPIServer(serverCtx, listener, store.endpoint, certs, o.NoCacheChecks)
	if err != nil {
		stopServer()
		listener.Close()
		return fmt.Errorf("API server: %w", err)
	}
	go func() {
		defer close(c.done)
		if err := serve(serverCtx); err != nil && serverCtx.Err() == nil {
			c.err = fmt.Errorf("the API server ended: %w", err)
		} else if serverCtx.Err() == nil {
			c.err = errors.New("the API server ended by itself")
		}
	}()
	c.undo = append(c.undo, func() {
		stopServer()
		within(stopTimeout, func() { <-c.done })
	})

	if c.Kubeconfig = o.Kubeconfig; c.Kubeconfig == "" {
		c.Kubeconfig = filepath.Join(o.Dir, "kubeconfig")
	}
	if err := writeKubeconfig(c.Kubeconfig, "https://"+listener.Addr().String(), certs); err != nil {
		return err
	}
	if c.Config, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
		return err
	}
	if err := c.waitReady(ctx); err != nil {
		return err
	}
	if o.NoControllers {
		return nil
	}
	controllersCtx, stopControllers := context.WithCancel(context.Background())
	waitControllers, err := startControllers(controllersCtx, c.Config)
	if err != nil {
		stopControllers()
		return fmt.Errorf("controllers: %w", err)
	}
	c.undo = append(c.undo, func() {
		stopControllers()
		within(stopTimeout, waitControllers)
	})
	return nil
}

// waitReady returns when /readyz answers 200 and the default namespace exists.
func (c *ControlPlane) waitReady(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	err = wait.PollUntilContextCancel(ctx, 25*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		select {
		case <-c.done:
			return false, c.err
		default:
		}
		var code int
		client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&code)
		if code != 200 {
			return false, nil
		}
		_, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the API server: %w", err)
	}
	return nil
}

// within waits until f returns, for at most d.
func within(d time.Duration, f func()) {
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	select {
	case <-ended:
	case <-time.After(d):
	}
}
