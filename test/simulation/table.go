package simulation

import (
	"context"
	"maps"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/test/simulation/internal/apiserver"
)

// tableClient accesses the Secret with the table of provider configurations. The call is one of the
// process in the context; without one it is answered at once.
type tableClient struct {
	typedcorev1.SecretInterface
	a *api
}

// table returns the latest table; nil if there is none.
func (a *api) table() *corev1.Secret {
	if len(a.tables) == 0 {
		return nil
	}
	return a.tables[len(a.tables)-1]
}

func (c tableClient) call(ctx context.Context, verb, name string, effect func() error) error {
	p, ok := ctx.Value(processKey{}).(*process)
	if !ok {
		return effect()
	}
	return p.Call(ctx, verb+" Secret "+name, effect)
}

func (c tableClient) put(s *corev1.Secret) *corev1.Secret {
	s = s.DeepCopy()
	s.ResourceVersion = c.a.nextVersion()
	c.a.tables = append(c.a.tables, s)
	c.a.w.note("the table is %s", s.Data["table.json"])
	c.a.w.check.failover() // of a resource that moves, what only a process remembers is lost
	return s.DeepCopy()
}

// Get implements typedcorev1.SecretInterface.
func (c tableClient) Get(ctx context.Context, name string, _ metav1.GetOptions) (out *corev1.Secret, err error) {
	err = c.call(ctx, "get", name, func() error {
		s := c.a.table()
		if s == nil {
			return apiserver.NotFound(name)
		}
		out = s.DeepCopy()
		return nil
	})
	return out, err
}

// Create implements typedcorev1.SecretInterface.
func (c tableClient) Create(ctx context.Context, s *corev1.Secret, _ metav1.CreateOptions) (out *corev1.Secret, err error) {
	err = c.call(ctx, "create", s.Name, func() error {
		if c.a.table() != nil {
			return kerrors.NewAlreadyExists(schema.GroupResource{Resource: "secrets"}, s.Name)
		}
		out = c.put(s)
		return nil
	})
	return out, err
}

// Update implements typedcorev1.SecretInterface.
func (c tableClient) Update(ctx context.Context, s *corev1.Secret, _ metav1.UpdateOptions) (out *corev1.Secret, err error) {
	err = c.call(ctx, "update", s.Name, func() error {
		switch now := c.a.table(); {
		case now == nil:
			return apiserver.NotFound(s.Name)
		case s.ResourceVersion != now.ResourceVersion:
			return apiserver.Conflict(s.Name)
		}
		out = c.put(s)
		return nil
	})
	return out, err
}

// leaseClient accesses the Leases by which replicas see each other. Its calls are answered at once.
type leaseClient struct {
	coordinationclient.LeaseInterface
	a *api
}

// Get implements coordinationclient.LeaseInterface.
func (c leaseClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*coordinationv1.Lease, error) {
	if l := c.a.leases[name]; l != nil {
		return l.DeepCopy(), nil
	}
	return nil, apiserver.NotFound(name)
}

// List implements coordinationclient.LeaseInterface.
func (c leaseClient) List(_ context.Context, o metav1.ListOptions) (*coordinationv1.LeaseList, error) {
	selector, err := labels.Parse(o.LabelSelector)
	if err != nil {
		return nil, err
	}
	out := &coordinationv1.LeaseList{}
	for _, name := range slices.Sorted(maps.Keys(c.a.leases)) {
		if l := c.a.leases[name]; selector.Matches(labels.Set(l.Labels)) {
			out.Items = append(out.Items, *l.DeepCopy())
		}
	}
	return out, nil
}

// Create implements coordinationclient.LeaseInterface.
func (c leaseClient) Create(ctx context.Context, l *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return c.Update(ctx, l, metav1.UpdateOptions{})
}

// Update implements coordinationclient.LeaseInterface. Each replica writes a Lease of its own, so
// there are no conflicts.
func (c leaseClient) Update(_ context.Context, l *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	l = l.DeepCopy()
	l.ResourceVersion = c.a.nextVersion()
	c.a.leases[l.Name] = l
	return l.DeepCopy(), nil
}

// Delete implements coordinationclient.LeaseInterface.
func (c leaseClient) Delete(_ context.Context, name string, o metav1.DeleteOptions) error {
	switch l := c.a.leases[name]; {
	case l == nil:
		return apiserver.NotFound(name)
	case o.Preconditions != nil && *o.Preconditions.ResourceVersion != l.ResourceVersion:
		return apiserver.Conflict(name)
	}
	delete(c.a.leases, name)
	return nil
}
