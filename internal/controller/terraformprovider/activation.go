package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// active are the names to serve of each mode, sorted.
type active map[model.Mode][]string

// addresses returns the addresses of all.
func (a active) addresses() []string {
	out := slices.Clone(a[model.Managed])
	for _, mode := range model.Unmanaged {
		for _, name := range a[mode] {
			out = append(out, mode.Address(name))
		}
	}
	return out
}

// has reports whether a name of a mode is to be served.
func (a active) has(mode model.Mode, name string) bool {
	_, ok := slices.BinarySearch(a[mode], name)
	return ok
}

// activate serves the given kinds, and no others. An error about one does
// not affect the others. done is called for each kind that the API server serves.
// activate returns when to reconcile again.
func (r *Reconciler) activate(ctx context.Context, run *running, active active, done func()) (errs []error, again time.Duration) {
	var changed atomic.Bool
	ensure := func(c *apiextensionsv1.CustomResourceDefinition) error {
		was, err := r.EnsureCRD(ctx, run.Name, c)
		if was {
			changed.Store(true)
		}
		return err
	}
	keep := map[string]bool{}
	configs := crd.ProviderConfig(run.Model)
	for _, c := range configs {
		keep[c.Name] = true
	}
	if errs = kinds.Each(configs, ensure); len(errs) > 0 {
		return errs, kinds.Resync // no kind can be served without provider configurations
	}
	if err := r.unmanagedRoles(ctx, run, active); err != nil {
		return []error{err}, kinds.Resync
	}
	for _, address := range active.addresses() {
		keep[run.Model.ByAddress(address).CRDName()] = true
	}
	var mu sync.Mutex
	var served []string
	errs = kinds.Each(active.addresses(), func(t string) error {
		c, err := crd.Resource(run.Model.ByAddress(t))
		if err == nil {
			if names := run.names[t]; names != "" {
				metav1.SetMetaDataAnnotation(&c.ObjectMeta, v1alpha1.AnnotationNames, names)
			}
			err = ensure(c)
		}
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			served = append(served, t)
			done()
		}
		return err
	})
	if changed.Load() {
		if err := kinds.AwaitWatches(ctx); err != nil {
			return append(errs, err), kinds.Resync
		}
	}
	errs = append(errs, kinds.Each(served, func(address string) error {
		if of := run.Model.ByAddress(address); of.Mode != model.Managed {
			return run.StartUnmanaged(of)
		}
		return run.Start(address)
	})...)
	want := func(t string) bool { return active.has(model.Managed, t) }
	again = run.SyncFinalizers(ctx, want)
	if err := run.StartConfigs(); err != nil {
		errs = append(errs, err)
	}
	for _, t := range run.Types() {
		if !want(t) {
			run.StopKind(ctx, t)
		}
	}
	for _, mode := range model.Unmanaged {
		for _, name := range run.Serving(mode) {
			if !active.has(mode, name) {
				run.StopUnmanaged(ctx, mode.Address(name))
			}
		}
	}
	if sooner := run.SyncActionApprovers(ctx); sooner > 0 {
		again = min(again, sooner)
	}
	isServed := func(c *apiextensionsv1.CustomResourceDefinition) bool { return keep[c.Name] }
	left, err := r.Prune(ctx, run.Name, isServed)
	if len(left) > 0 && len(errs) == 0 {
		err = errors.Join(err, r.Abandon(ctx, run.Name, kinds.Deactivated(run.Name), isServed))
	}
	if err != nil {
		errs = append(errs, err)
	}
	return errs, again
}

// activateMeanwhile serves the kinds that the spec activates of the version that goes on while another
// one is previewed or held, which may take days.
func (r *Reconciler) activateMeanwhile(ctx context.Context, p *v1alpha1.TerraformProvider, why *kinds.Problem) {
	run := r.runningProvider(p.UID)
	if run == nil || why != previewing && why.Reason != v1alpha1.ReasonUpgradeHeld && why.Reason != v1alpha1.ReasonChangesHeld {
		return
	}
	active, _ := activatedOf(run.Model, &p.Spec) // patterns may match types of the other version
	if slices.Equal(active.addresses(), servedBy(run).addresses()) {
		return
	}
	if errs, _ := r.activate(ctx, run, active, func() {}); len(errs) > 0 {
		r.Logger.Error(errors.Join(errs...), "Cannot serve all kinds of the version that goes on", "provider", p.Name)
	}
}

// servedBy returns the names that are served of each mode.
func servedBy(run *running) active {
	out := active{model.Managed: run.Types()}
	for _, mode := range model.Unmanaged {
		out[mode] = run.Serving(mode)
	}
	return out
}

// unmanagedRoles installs the roles for data sources, ephemeral resources and actions that are not
// served yet.
func (r *Reconciler) unmanagedRoles(ctx context.Context, run *running, active active) error {
	resources, missing := kinds.ResourcesOf(run.Model), false
	for _, mode := range model.Unmanaged {
		served := run.Serving(mode)
		for _, name := range active[mode] {
			missing = missing || !slices.Contains(served, name)
			resources = append(resources, run.Model.Of(mode)[name].GroupVersionResource().GroupResource())
		}
	}
	if !missing {
		return nil
	}
	return r.EnsureRoles(ctx, run.Name, resources...)
}

// activatedOf returns what a spec activates of a provider. wrong describes the patterns that are
// malformed or match nothing.
func activatedOf(p *model.Provider, spec *v1alpha1.TerraformProviderSpec) (active, []string) {
	types, wrong := activated(p, spec.Activate)
	out := active{model.Managed: types}
	for _, mode := range model.Unmanaged {
		names, more := matching(slices.Sorted(maps.Keys(p.Of(mode))), *patternsOf(spec, mode), func(pattern string) string {
			return fmt.Sprintf("no %s matches %q in %s (see: landbridge provider inspect)", mode.What(), pattern, FieldOf(mode))
		})
		out[mode], wrong = names, append(wrong, more...)
	}
	return out, wrong
}

// activated returns the resource types that match the patterns, sorted; without patterns it returns
// all. wrong describes the patterns that are malformed or match nothing.
func activated(p *model.Provider, patterns []string) (types []string, wrong []string) {
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	return matching(slices.Sorted(maps.Keys(p.Resources)), patterns, func(pattern string) string { return noResourceType(p.Schema, pattern) })
}

// matching returns the names that match the patterns, sorted. none describes a pattern that matches
// nothing.
func matching(all, patterns []string, none func(pattern string) string) (names, wrong []string) {
	set := map[string]bool{}
	for _, pattern := range patterns {
		matched := pattern == "*" // all, which may be none: modules use providers that have only data sources
		for _, t := range all {
			ok, err := path.Match(pattern, t)
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%q is not a pattern", pattern))
				matched = true
				break
			}
			if ok {
				set[t], matched = true, true
			}
		}
		if !matched {
			wrong = append(wrong, none(pattern))
		}
	}
	return slices.Sorted(maps.Keys(set)), wrong
}

// noResourceType describes a pattern that matches no resource type.
func noResourceType(s *schema.Provider, pattern string) string {
	if s != nil {
		if _, ok := s.DataSources[pattern]; ok {
			return fmt.Sprintf("%q is a data source: name it in spec.activateDataSources", pattern)
		}
		if _, ok := s.EphemeralResources[pattern]; ok {
			return fmt.Sprintf("%q is an ephemeral resource: name it in spec.activateEphemeralResources", pattern)
		}
		if _, ok := s.Actions[pattern]; ok {
			return fmt.Sprintf("%q is an action: name it in spec.activateActions", pattern)
		}
	}
	return fmt.Sprintf("no resource type matches %q (see: landbridge provider inspect)", pattern)
}
