package terraformprovider

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// startupLimit bounds how long the kinds that do not come to be served again keep what others may refer to.
const startupLimit = 2 * time.Minute

// startup is the time in which not all kinds are served that were served before the controller started
// anew. The zero value is its beginning.
type startup struct {
	mu    sync.Mutex
	ended chan struct{}
	begun map[servedFrom]bool
}

// servedFrom is what kinds come from, by its name.
type servedFrom struct {
	module bool
	name   string
}

// over is closed at its end.
func (s *startup) over() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = make(chan struct{})
	}
	return s.ended
}

// tried says that something is served again, or cannot be now.
func (s *startup) tried(what servedFrom) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun == nil {
		s.begun = map[servedFrom]bool{}
	}
	s.begun[what] = true
}

func (s *startup) triedAll(of []servedFrom) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.ContainsFunc(of, func(what servedFrom) bool { return !s.begun[what] })
}

// Settled is closed when the kinds that were served before are served again, as far as they can be, and it is
// known of all their resources what they refer to.
func (r *Registry) Settled() <-chan struct{} { return r.startup.over() }

// ServesModule says that the kind of a TerraformModule is served.
func (r *Registry) ServesModule(name string) { r.startup.tried(servedFrom{module: true, name: name}) }

// listed says whether the resources of all kinds that are served are known.
func (r *Registry) listed() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, k := range r.kinds {
		select {
		case <-k.Listed():
		default:
			return false
		}
	}
	return true
}

// settle ends when everything is served again that was.
func (r *Reconciler) settle(ctx context.Context) error {
	until, cancel := context.WithTimeout(ctx, startupLimit)
	defer cancel()
	var all []servedFrom
	known := false
	_ = wait.PollUntilContextCancel(until, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if !known {
			var err error
			if all, err = r.toServe(ctx); err != nil {
				return false, nil // the API server is asked again
			}
			known = true
		}
		return r.Registry.startup.triedAll(all) && r.Registry.listed(), nil
	})
	if ctx.Err() == nil {
		close(r.Registry.startup.over())
	}
	return nil
}

// toServe is what is to be served.
func (r *Reconciler) toServe(ctx context.Context) (all []servedFrom, _ error) {
	if r.packaged != "" {
		return []servedFrom{{name: r.packaged}}, nil
	}
	providers, modules := &v1alpha1.TerraformProviderList{}, &v1alpha1.TerraformModuleList{}
	for _, list := range []client.ObjectList{providers, modules} {
		if err := r.Manager.GetAPIReader().List(ctx, list); err != nil {
			return nil, err
		}
	}
	for _, p := range providers.Items {
		if p.DeletionTimestamp.IsZero() {
			all = append(all, servedFrom{name: p.Name})
		}
	}
	for _, m := range modules.Items {
		all = append(all, servedFrom{module: true, name: m.Name})
	}
	return all, nil
}
