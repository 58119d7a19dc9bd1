package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/landbridge-io/landbridge/internal/controller/sharding"
)

// process is what the controllers of all shards that this process holds have in common. If the work
// is not divided, it has one shard, number 0, which has all resources.
type process struct {
	Options
	config   *rest.Config
	scheme   *runtime.Scheme
	recorder record.EventRecorder

	kube clients
	// key is that of the hashes of plans.
	key []byte
	// serve begins to serve metrics, health and profiles, unless that has begun.
	serve func()
	// fail ends all controllers because of an error.
	fail func(error)

	mu sync.Mutex
	// checks are those of the shards whose controllers run.
	checks map[int][]check
}

// run prepares the cluster and has work done. It returns what has failed.
func (p *process) run(ctx context.Context, work func(context.Context) error) error {
	parent := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.fail = cancel
	if err := p.prepare(ctx); err != nil {
		return err
	}
	front, err := p.front()
	if err != nil {
		return err
	}
	// It is served until all controllers have stopped.
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	var served sync.WaitGroup
	defer served.Wait()
	defer stopServing()
	p.serve = sync.OnceFunc(func() {
		served.Go(func() {
			if err := front.Start(serving); err != nil {
				p.fail(err)
			}
		})
	})
	if err := work(ctx); err != nil {
		return err
	}
	return canceled(parent, context.Cause(ctx))
}

// canceled returns nil if err is that ctx was canceled.
func canceled(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// prepare makes what all shards need: the namespace, the CRDs of Landbridge's own kinds, and the
// key of the hashes of plans.
func (p *process) prepare(ctx context.Context) (err error) {
	if p.kube, err = newClients(protobuf(p.config)); err != nil {
		return err
	}
	if err := makeNamespace(ctx, p.kube.core.Namespaces(), p.Namespace); err != nil {
		return err
	}
	if p.Packaged == nil {
		extensions, err := apiextensionsclient.NewForConfig(p.config)
		if err != nil {
			return err
		}
		if err := makeCRDs(ctx, extensions); err != nil {
			return err
		}
	}
	p.key, err = planKey(ctx, p.kube.core.Secrets(p.Namespace))
	return err
}

// front returns what the process serves, whatever shards it holds: metrics, health and profiles.
func (p *process) front() (ctrl.Manager, error) {
	m, err := ctrl.NewManager(p.config, ctrl.Options{
		Scheme: p.scheme, Logger: p.Logger, Metrics: metricsOptions(p.Options), HealthProbeBindAddress: "0",
		PprofBindAddress: p.ProfileAddress,
	})
	if err != nil || p.HealthAddress == "0" {
		return m, err
	}
	return m, m.Add(health(p.HealthAddress, p.probed))
}

// probe has the checks of a shard served until the function is called that it returns.
func (p *process) probe(number int, checks []check) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Shards > 0 {
		for i := range checks {
			checks[i].name = fmt.Sprintf("shard %d: %s", number, checks[i].name)
		}
	}
	if p.checks == nil {
		p.checks = map[int][]check{}
	}
	p.checks[number] = checks
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.checks, number)
	}
}

// probed returns the checks of all shards, in the order of their numbers.
func (p *process) probed() (out []check) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(p.checks)) {
		out = append(out, p.checks[number]...)
	}
	return out
}

// runUndivided runs the controllers of the one shard that has all resources.
func (p *process) runUndivided(ctx context.Context) error {
	lock, err := newLease(p.config, p.recorder, p.Options, leaseName(p.Options))
	if err != nil {
		return err
	}
	return p.runShard(ctx, lock, sharding.Leader, nil)
}
