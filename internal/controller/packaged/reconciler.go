package packaged

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// Reconciler serves the kinds of a provider whose CRDs exist. Runtime, Provider and Logger are
// required.
type Reconciler struct {
	*kinds.Runtime
	Provider *Provider
	// Conversions of the provider's kinds; nil if another program serves them.
	Conversions *conversion.Conversions
	Logger      logr.Logger

	run *kinds.ServedProvider
	// types has the resource types by the names of their CRDs. The type is "" for provider
	// configurations.
	types map[string]string
	// started has the CRDs whose kinds are served, by name; gone is when others stopped being
	// served.
	started map[string]incarnation
	gone    map[string]time.Time
}

// conversionLag is the time that the API server takes to use a changed conversion webhook.
const conversionLag = time.Second

// incarnation distinguishes a CRD from earlier and later ones of its name.
type incarnation struct {
	uid        types.UID
	generation int64
}

// SetupWithManager registers the controller. It returns an error if the provider does not start, or
// if its schema is not the one that the CRDs were generated from.
func (r *Reconciler) SetupWithManager(ctx context.Context, m ctrl.Manager) error {
	p, err := r.Provider.read(ctx, r.Runtime)
	if err != nil {
		return err
	}
	r.run = r.NewProvider(kinds.ProviderOptions{
		Name: p.Name, Model: p, Launcher: r.Provider.Launcher,
		Release: kinds.ReleaseOf(r.Provider.Launcher, r.Provider.Config),
	})
	r.types, r.started, r.gone = map[string]string{}, map[string]incarnation{}, map[string]time.Time{}
	names := map[kschema.GroupKind]string{}
	for _, d := range crd.ProviderConfig(p) {
		r.types[d.Name] = ""
		names[kschema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}] = d.Name
	}
	for t, resource := range p.Resources {
		r.types[resource.CRDName()] = t
		names[resource.GroupVersionKind().GroupKind()] = resource.CRDName()
	}
	if r.Conversions != nil {
		if err := r.Conversions.SetupWithManager(m, names); err != nil {
			return err
		}
	}
	all := []reconcile.Request{{NamespacedName: types.NamespacedName{Name: p.Name}}}
	own := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		if _, ok := r.types[o.GetName()]; !ok {
			return nil
		}
		return all
	})
	return ctrl.NewControllerManagedBy(m).Named("packaged").
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, own).
		WithOptions(kinds.ControllerOptions(1)).
		Complete(r)
}

// source returns the provider as a kinds.Source.
func (r *Reconciler) source() kinds.Source { return kinds.Source{Kind: "Provider", Name: r.run.Name} }

// Expected returns the provider, whose kinds should be served.
func (r *Reconciler) Expected(context.Context) ([]kinds.Source, error) {
	return []kinds.Source{r.source()}, nil
}

// Reconcile implements reconcile.Reconciler. There is one request for all kinds.
func (r *Reconciler) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	present, err := r.present(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	for name, was := range r.started {
		if now, ok := present[name]; !ok || now != was {
			r.stop(ctx, name)
		}
	}
	ready, wait, err := r.ready(ctx, present)
	if len(ready) > 0 {
		err = errors.Join(err, r.start(ready, present))
	}
	if err == nil {
		r.Registry.Attempted(r.source())
	}
	again := kinds.Resync
	if r.configsStarted() {
		again = r.run.SyncFinalizers(ctx, func(string) bool { return true })
	}
	if wait > 0 {
		again = min(again, wait)
	}
	return reconcile.Result{RequeueAfter: again}, err
}

// present returns the provider's CRDs in the cluster.
func (r *Reconciler) present(ctx context.Context) (map[string]incarnation, error) {
	crds, err := kinds.ListCRDs(ctx, r.Manager.GetClient())
	if err != nil {
		return nil, err
	}
	out := map[string]incarnation{}
	for _, c := range crds {
		if _, ours := r.types[c.Name]; !ours {
			continue
		}
		was, started := r.started[c.Name]
		switch {
		case c.DeletionTimestamp.IsZero():
			out[c.Name] = incarnation{c.UID, c.Generation}
		case started && was.uid == c.UID:
			out[c.Name] = was // its objects are being deleted, which needs the controller
		}
	}
	return out, nil
}

// ready returns the CRDs whose kinds can be served now. wait is how long until others can; a CRD
// that is not established yet is reconciled again when it changes.
func (r *Reconciler) ready(ctx context.Context, present map[string]incarnation) (ready []string, wait time.Duration, err error) {
	var mu sync.Mutex
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(present)), func(name string) bool {
		_, ok := r.started[name]
		return ok
	})
	errs := kinds.Each(names, func(name string) error {
		c, err := r.CRDs.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return client.IgnoreNotFound(err)
		}
		mu.Lock()
		defer mu.Unlock()
		switch unsettled := time.Until(r.changed(c).Add(kinds.Teardown)); {
		case !kinds.IsEstablished(c):
		case !r.Conversions.Ready(c):
			wait = max(wait, conversionLag)
		case unsettled > 0:
			wait = max(wait, unsettled)
		default:
			ready = append(ready, name)
		}
		return nil
	})
	slices.Sort(ready)
	return ready, wait, errors.Join(errs...)
}

// changed returns when the CRD was last changed or recreated; the zero time if it never was.
func (r *Reconciler) changed(c *apiextensionsv1.CustomResourceDefinition) time.Time {
	at := r.gone[c.Name]
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

// start serves the kinds of the CRDs with the given names.
func (r *Reconciler) start(names []string, present map[string]incarnation) error {
	var mu sync.Mutex
	errs := kinds.Each(names, func(name string) error {
		if t := r.types[name]; t != "" {
			if err := r.run.Start(t); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		r.started[name] = present[name]
		delete(r.gone, name)
		return nil
	})
	if r.configsStarted() {
		if err := r.run.StartConfigs(); err != nil {
			errs = append(errs, err)
		}
	}
	r.Logger.Info("Serving kinds", "provider", r.run.Name, "serving", len(r.run.Types()), "of", len(r.run.Model.Resources))
	return errors.Join(errs...)
}

// configsStarted reports whether the CRDs of all kinds of provider configurations are served.
func (r *Reconciler) configsStarted() bool {
	for name, t := range r.types {
		if _, ok := r.started[name]; t == "" && !ok {
			return false
		}
	}
	return true
}

// stop stops serving the kind of a CRD that was deleted or changed. Running operations are still
// completed.
func (r *Reconciler) stop(ctx context.Context, name string) {
	if t := r.types[name]; t != "" {
		r.run.StopKind(ctx, t)
	} else {
		r.run.StopConfigs(ctx)
	}
	delete(r.started, name)
	r.gone[name] = time.Now()
}
