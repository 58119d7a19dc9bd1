package terraformprovider

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// startupLimit bounds how long the kinds that do not come to be served again keep what others may refer to.
const startupLimit = 2 * time.Minute

// startup is the time in which not all kinds are served that were served before the controller started
// anew. The zero value is its beginning.
type startup struct {
	mu    sync.Mutex
	ended chan struct{}
	names map[string]bool
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

// tried says that a provider is served again, or cannot be now.
func (s *startup) tried(provider string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[provider] = true
}

func (s *startup) triedAll(providers []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range providers {
		if !s.names[p] {
			return false
		}
	}
	return true
}

// Settled is closed when the kinds that were served before are served again, as far as they can be, and it is
// known of all their resources what they refer to.
func (r *Registry) Settled() <-chan struct{} { return r.startup.over() }

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
	var providers []string
	known := false
	_ = wait.PollUntilContextCancel(until, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if !known {
			var err error
			if providers, err = r.toServe(ctx); err != nil {
				return false, nil // the API server is asked again
			}
			known = true
		}
		return r.Registry.startup.triedAll(providers) && r.Registry.listed(), nil
	})
	if ctx.Err() == nil {
		close(r.Registry.startup.over())
	}
	return nil
}

// toServe are the names of the providers that are to be served.
func (r *Reconciler) toServe(ctx context.Context) ([]string, error) {
	if r.packaged != "" {
		return []string{r.packaged}, nil
	}
	list := &v1alpha1.TerraformProviderList{}
	if err := r.Manager.GetAPIReader().List(ctx, list); err != nil {
		return nil, err
	}
	var names []string
	for _, p := range list.Items {
		if p.DeletionTimestamp.IsZero() {
			names = append(names, p.Name)
		}
	}
	return names, nil
}
