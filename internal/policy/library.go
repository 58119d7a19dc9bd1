package policy

import (
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Library has the policies of a cluster.
type Library struct {
	// List returns the PlanPolicies. It is called for each decision, so it should be a cache.
	List func(context.Context) ([]v1alpha1.PlanPolicy, error)

	mu       sync.Mutex
	compiled map[types.UID]compiled
}

type compiled struct {
	generation int64
	policy     *Policy
}

// Policies returns the compiled policies, sorted by name.
func (l *Library) Policies(ctx context.Context) ([]*Policy, error) {
	items, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := make(map[types.UID]compiled, len(items))
	out := make([]*Policy, 0, len(items))
	for i := range items {
		p := &items[i]
		c, ok := l.compiled[p.UID]
		if !ok || c.generation != p.Generation {
			c = compiled{p.Generation, Compile(p)}
		}
		now[p.UID] = c
		out = append(out, c.policy)
	}
	l.compiled = now
	slices.SortFunc(out, func(a, b *Policy) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}
