package policy

import (
	"context"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Library has the PlanPolicies of a cluster.
type Library struct {
	// List returns the PlanPolicies. It is called for each decision, so it should be a cache.
	List func(context.Context) ([]v1alpha1.PlanPolicy, error)

	compiled memory[*Policy]
}

// Policies returns the compiled policies, sorted by name.
func (l *Library) Policies(ctx context.Context) ([]*Policy, error) {
	items, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	out := compileAll(&l.compiled, items, func(p *v1alpha1.PlanPolicy) metav1.Object { return p }, Compile)
	slices.SortFunc(out, func(a, b *Policy) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// EstateLibrary has the EstatePolicies of a cluster.
type EstateLibrary struct {
	// List returns the EstatePolicies. It is called for each query, so it should be a cache.
	List func(context.Context) ([]v1alpha1.EstatePolicy, error)

	compiled memory[*EstatePolicy]
}

// Policies returns the compiled policies, sorted by name.
func (l *EstateLibrary) Policies(ctx context.Context) ([]*EstatePolicy, error) {
	items, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	out := compileAll(&l.compiled, items, func(p *v1alpha1.EstatePolicy) metav1.Object { return p }, CompileEstate)
	slices.SortFunc(out, func(a, b *EstatePolicy) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// memory has what was compiled of objects, by their UIDs.
type memory[T any] struct {
	mu sync.Mutex
	of map[types.UID]compiled[T]
}

type compiled[T any] struct {
	generation int64
	policy     T
}

// compileAll compiles the objects that have changed since the last call.
func compileAll[S, T any](m *memory[T], items []S, meta func(*S) metav1.Object, compile func(*S) T) []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := make(map[types.UID]compiled[T], len(items))
	out := make([]T, 0, len(items))
	for i := range items {
		o := meta(&items[i])
		c, ok := m.of[o.GetUID()]
		if !ok || c.generation != o.GetGeneration() {
			c = compiled[T]{o.GetGeneration(), compile(&items[i])}
		}
		now[o.GetUID()] = c
		out = append(out, c.policy)
	}
	m.of = now
	return out
}
