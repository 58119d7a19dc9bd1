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

// activate serves the given resource types, which are sorted, and no others. An error about one
// type does not affect the others. done is called for each kind that the API server serves.
// activate returns when to reconcile again.
func (r *Reconciler) activate(ctx context.Context, run *running, active []string, done func()) (errs []error, again time.Duration) {
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
	for _, t := range active {
		keep[run.Model.Resources[t].CRDName()] = true
	}
	var mu sync.Mutex
	var served []string
	errs = kinds.Each(active, func(t string) error {
		c, err := crd.Resource(run.Model.Resources[t])
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
	errs = append(errs, kinds.Each(served, run.Start)...)
	want := func(t string) bool {
		_, ok := slices.BinarySearch(active, t)
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

// activated returns the resource types that match the patterns, sorted; without patterns it returns
// all. wrong describes the patterns that are malformed or match nothing.
func activated(p *model.Provider, patterns []string) (types []string, wrong []string) {
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	set := map[string]bool{}
	all := slices.Sorted(maps.Keys(p.Resources))
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
			wrong = append(wrong, noResourceType(p.Schema, pattern))
		}
	}
	return slices.Sorted(maps.Keys(set)), wrong
}

// noResourceType describes a pattern that matches no resource type.
func noResourceType(s *schema.Provider, pattern string) string {
	if s != nil {
		if _, ok := s.DataSources[pattern]; ok {
			return fmt.Sprintf("%q is a data source, and only resource types can be activated", pattern)
		}
		if _, ok := s.EphemeralResources[pattern]; ok {
			return fmt.Sprintf("%q is an ephemeral resource, and only resource types can be activated", pattern)
		}
	}
	return fmt.Sprintf("no resource type matches %q (see: landbridge provider inspect)", pattern)
}
