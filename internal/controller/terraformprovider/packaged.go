package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// Packaged is the provider that a program is made for. There is no TerraformProvider for it, and
// its CRDs are not the program's to make: they come with a package. A kind is served from when its
// CRD is there, which is what Crossplane calls a safe start.
type Packaged struct {
	// Name is the provider's name, such as random.
	Name string
	// Config is how it is presented.
	Config config.Provider
	// Launcher makes its servers.
	Launcher provider.Launcher
	// SchemaSum is the checksum of the schema that the CRDs were made of (schema.Provider.Sum);
	// empty if it is not known.
	SchemaSum string
}

// read starts the provider to read its schema.
func (p *Packaged) read(ctx context.Context) (*model.Provider, error) {
	s, diags := readSchema(ctx, p.Launcher)
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	sum, err := s.Sum()
	if err != nil {
		return nil, err
	}
	if p.SchemaSum != "" && p.SchemaSum != sum {
		return nil, fmt.Errorf("the provider %s has another schema than the one that the CRDs were generated from: run it in the version that the repository pins, or record its schema and generate anew", p.Name)
	}
	return model.NewProvider(p.Name, s, p.Config)
}

// packaged serves the kinds of a Packaged provider whose CRDs are there.
type packaged struct {
	r   *Reconciler
	run *running
	// types are the resource types by the names of their CRDs; those of the configurations' are empty.
	types map[string]string
	// started is what is served, by the names of the CRDs; gone is when others were seen to go.
	started map[string]incarnation
	gone    map[string]time.Time
}

// conversionLag is how long it takes until the API server knows where objects are converted.
const conversionLag = time.Second

// incarnation tells a CRD from the one of its name before and after it.
type incarnation struct {
	uid        types.UID
	generation int64
}

// SetupPackaged serves a provider without a TerraformProvider. It is an error if the provider does not
// start, or is not the one that the CRDs are of. Whatever it starts ends with ctx.
func (r *Reconciler) SetupPackaged(ctx context.Context, m ctrl.Manager, from *Packaged) error {
	p, err := from.read(ctx)
	if err != nil {
		return err
	}
	r.lifetime, r.packaged = ctx, p.Name
	if err := m.Add(manager.RunnableFunc(r.settle)); err != nil {
		return err
	}
	named := &v1alpha1.TerraformProvider{ObjectMeta: metav1.ObjectMeta{Name: p.Name}}
	reconciler := &packaged{
		r: r, run: newRunning(r, named, from.Launcher.Key(), execution{}, p, from.Launcher),
		types: map[string]string{}, started: map[string]incarnation{}, gone: map[string]time.Time{},
	}
	names := map[kschema.GroupKind]string{}
	for _, d := range crd.ProviderConfig(p) {
		reconciler.types[d.Name] = ""
		names[kschema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}] = d.Name
	}
	for t, resource := range p.Resources {
		reconciler.types[resource.CRDName()] = t
		names[resource.GroupVersionKind().GroupKind()] = resource.CRDName()
	}
	if r.Conversions != nil {
		if err := r.Conversions.SetupWithManager(m, names); err != nil {
			return err
		}
	}
	all := []reconcile.Request{{NamespacedName: types.NamespacedName{Name: p.Name}}}
	ours := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		if _, ok := reconciler.types[o.GetName()]; !ok {
			return nil
		}
		return all
	})
	return ctrl.NewControllerManagedBy(m).Named("packaged").
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, ours).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 1,
			SkipNameValidation:      ptr.To(true),
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minBackoff, maxBackoff),
		}).
		Complete(reconciler)
}

// Reconcile implements reconcile.Reconciler. There is one request, for all kinds.
func (p *packaged) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	present, err := p.present(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	for name, was := range p.started {
		if now, ok := present[name]; !ok || now != was {
			p.stop(ctx, name)
		}
	}
	ready, wait, err := p.ready(ctx, present)
	if len(ready) > 0 {
		err = errors.Join(err, p.start(ready, present))
	}
	if err == nil {
		p.r.Registry.startup.tried(servedFrom{name: p.run.name})
	}
	again := resync
	if p.configs() {
		want := map[string]bool{}
		for _, t := range p.run.types() {
			want[t] = true
		}
		again = p.r.finalizers(ctx, p.run.name, p.run, want)
	}
	if wait > 0 {
		again = min(again, wait)
	}
	return reconcile.Result{RequeueAfter: again}, err
}

// present are the provider's CRDs in the cluster.
func (p *packaged) present(ctx context.Context) (map[string]incarnation, error) {
	crds, err := listCRDs(ctx, p.r.Manager.GetClient())
	if err != nil {
		return nil, err
	}
	out := map[string]incarnation{}
	for _, c := range crds {
		if _, ours := p.types[c.Name]; ours && c.DeletionTimestamp.IsZero() {
			out[c.Name] = incarnation{c.UID, c.Generation}
		}
	}
	return out, nil
}

// ready are the CRDs whose kinds can be served from now on. wait is how long it takes until others are;
// of those that the API server does not serve yet it is going to tell.
func (p *packaged) ready(ctx context.Context, present map[string]incarnation) (ready []string, wait time.Duration, err error) {
	var mu sync.Mutex
	var errs []error
	group := errgroup.Group{}
	group.SetLimit(crdWorkers)
	for _, name := range slices.Sorted(maps.Keys(present)) {
		if _, ok := p.started[name]; ok {
			continue
		}
		group.Go(func() error {
			c, err := p.r.CRDs.Get(ctx, name, metav1.GetOptions{})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case kerrors.IsNotFound(err):
			case err != nil:
				errs = append(errs, err)
			case !served(c):
			case !p.r.Conversions.Ready(c):
				wait = max(wait, conversionLag)
			default:
				if unsettled := time.Until(p.changed(c).Add(teardown)); unsettled > 0 {
					wait = max(wait, unsettled)
				} else {
					ready = append(ready, name)
				}
			}
			return nil
		})
	}
	_ = group.Wait()
	slices.Sort(ready)
	return ready, wait, errors.Join(errs...)
}

// changed is when the API server had something else of a kind before; the zero time if it never had.
func (p *packaged) changed(c *apiextensionsv1.CustomResourceDefinition) time.Time {
	at := p.gone[c.Name]
	if c.Generation == 1 {
		return at
	}
	for _, f := range c.ManagedFields {
		if f.Subresource == "" && f.Time != nil && f.Time.After(at) {
			at = f.Time.Time
		}
	}
	return at
}

func (p *packaged) start(names []string, present map[string]incarnation) error {
	var mu sync.Mutex
	var errs []error
	group := errgroup.Group{}
	group.SetLimit(crdWorkers)
	for _, name := range names {
		group.Go(func() error {
			var err error
			if t := p.types[name]; t != "" {
				err = p.run.start(p.run.model.Resources[t])
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
				return nil
			}
			p.started[name] = present[name]
			delete(p.gone, name)
			return nil
		})
	}
	_ = group.Wait()
	if p.configs() {
		// Not before the kinds: who uses a configuration is known from their controllers.
		if err := p.run.startConfigs(); err != nil {
			errs = append(errs, err)
		}
	}
	p.r.Logger.Info("Serving kinds", "provider", p.run.name, "serving", p.run.serving(), "of", len(p.run.model.Resources))
	return errors.Join(errs...)
}

// configs says whether the kinds of the provider's configurations are all there.
func (p *packaged) configs() bool {
	for name, t := range p.types {
		if _, ok := p.started[name]; t == "" && !ok {
			return false
		}
	}
	return true
}

// stop ends what is served of a CRD that is gone, or has changed. What was under way is concluded.
func (p *packaged) stop(ctx context.Context, name string) {
	if t := p.types[name]; t != "" {
		p.run.stopKind(ctx, t)
	} else if p.run.endConfigs() {
		p.run.forgetConfigs(ctx)
	}
	delete(p.started, name)
	p.gone[name] = time.Now()
}
