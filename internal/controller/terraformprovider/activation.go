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

// active are the resource types and data sources to serve, sorted.
type active struct{ types, data []string }

// addresses returns the addresses of all.
func (a active) addresses() []string {
	out := slices.Clone(a.types)
	for _, name := range a.data {
		out = append(out, string(model.Data)+"."+name)
	}
	return out
}

// activate serves the given resource types and data sources, and no others. An error about one does
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
	if err := r.dataRoles(ctx, run, active.data); err != nil {
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
		if of := run.Model.ByAddress(address); of.Mode == model.Data {
			return run.StartData(of.Type)
		}
		return run.Start(address)
	})...)
	want := func(t string) bool {
		_, ok := slices.BinarySearch(active.types, t)
		return ok
	}
	again = run.SyncFinalizers(ctx, want)
	if err := run.StartConfigs(); err != nil {
		errs = append(errs, err)
	}
	for _, t := range run.Types() {
		if !want(t) {
			run.StopKind(ctx, t)
		}
	}
	for _, name := range run.DataSources() {
		if _, ok := slices.BinarySearch(active.data, name); !ok {
			run.StopData(ctx, name)
		}
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

// dataRoles installs the roles for data sources that are not served yet.
func (r *Reconciler) dataRoles(ctx context.Context, run *running, data []string) error {
	if served := run.DataSources(); !slices.ContainsFunc(data, func(name string) bool { return !slices.Contains(served, name) }) {
		return nil
	}
	resources := kinds.ResourcesOf(run.Model)
	for _, name := range data {
		resources = append(resources, run.Model.DataSources[name].GroupVersionResource().GroupResource())
	}
	return r.EnsureRoles(ctx, run.Name, resources...)
}

// activatedOf returns what a spec activates of a provider. wrong describes the patterns that are
// malformed or match nothing.
func activatedOf(p *model.Provider, spec *v1alpha1.TerraformProviderSpec) (out active, wrong []string) {
	out.types, wrong = activated(p, spec.Activate)
	all := slices.Sorted(maps.Keys(p.DataSources))
	data, more := matching(all, spec.ActivateDataSources, func(pattern string) string {
		return fmt.Sprintf("no data source matches %q in spec.activateDataSources (see: landbridge provider inspect)", pattern)
	})
	out.data = data
	return out, append(wrong, more...)
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
			return fmt.Sprintf("%q is an ephemeral resource, and only resource types can be activated", pattern)
		}
	}
	return fmt.Sprintf("no resource type matches %q (see: landbridge provider inspect)", pattern)
}
