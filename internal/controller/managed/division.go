package managed

import (
	"context"
	"sync"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Belonging is where the resources of provider configurations belong.
type Belonging int

const (
	// Elsewhere means that another shard has them, or will have.
	Elsewhere Belonging = iota
	// Here means that this shard has them.
	Here
	// Unplaced means that this shard has to decide where they belong.
	Unplaced
)

// Shards decides which resources this controller works on, where the work is divided by provider
// configurations, and by the resource types of some.
type Shards interface {
	// Belong returns where resources belong that use the same.
	Belong(use shard.Use) Belonging
	// Has reports whether the resources of a type that use a configuration belong here. The type
	// may be shard.Any.
	Has(configuration, resourceType string) bool
	// Place decides where configurations belong that resources of some types use together.
	Place(ctx context.Context, together []ownership.Access, types []string) error
	// Divide has the resource types of a configuration placed one by one, or not.
	Divide(ctx context.Context, configuration string, split bool) error
	// Confirm returns an error unless the resources of a type that use a configuration belong here,
	// as the account that it has now.
	Confirm(ctx context.Context, a ownership.Access, resourceType string) error
	// Company returns the configurations whose resources of a type belong here, and that are of the
	// accounts of those with names, which are among them. Before one of them is used, the objects
	// of all are claimed.
	Company(names []string, resourceType string) []string
	// Stored reports whether the record of a resource belongs to this shard.
	Stored(k store.Key) bool
	// Claiming is called when objects of configurations that are new here begin to be claimed. It
	// returns what is called when they are. Settled reports whether none are being claimed.
	Claiming() (done func())
	Settled() bool
}

// NamingConfigs is implemented by ProviderConfigs that can tell the names of configurations without
// resolving them. Names are those of providerconfig.Handle.
type NamingConfigs interface {
	Names(ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference, namespace string) []string
}

// activations has the configurations whose resources of one kind are claimed, and may be worked on.
type activations struct {
	mu sync.Mutex
	of map[string]*activation
}

// activation is one time for which a configuration belongs here. active is set when the objects are
// claimed.
type activation struct{ active bool }

// all reports whether all configurations are active, and returns those whose activation has to
// begin now.
func (a *activations) all(names []string) (active bool, begin map[string]*activation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[string]*activation{}
	}
	active, begin = true, map[string]*activation{}
	for _, name := range names {
		if a.of[name] == nil {
			a.of[name] = &activation{}
			begin[name] = a.of[name]
		}
		active = active && a.of[name].active
	}
	return active, begin
}

// end ends an activation, unless the configuration has moved meanwhile.
func (a *activations) end(name string, of *activation, claimed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.of[name] != of:
	case claimed:
		of.active = true
	default:
		delete(a.of, name)
	}
}

// drop forgets configurations, which have moved.
func (a *activations) drop(names []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range names {
		delete(a.of, name)
	}
}
