package controller

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/estatepolicy"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/query"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// setupQueries sets up what runs ResourceQueries, and the EstatePolicies that judge what they find.
func (c *controllers) setupQueries() error {
	rt := c.runtime
	reader := rt.Manager.GetClient()
	library := &policy.EstateLibrary{List: func(ctx context.Context) ([]v1alpha1.EstatePolicy, error) {
		list := &v1alpha1.EstatePolicyList{}
		err := reader.List(ctx, list, client.UnsafeDisableDeepCopy)
		return list.Items, err
	}}
	c.queries = &query.Reconciler{
		Client: reader, Policies: library.Policies, Recorder: rt.Managed.Recorder, Logger: c.Logger.WithName("query"),
		Timeout:    rt.Managed.Timeout,
		ConfigMaps: func(namespace string) typedcorev1.ConfigMapInterface { return c.kube.core.ConfigMaps(namespace) },
		Providers: func(resourceType string) (out []query.Provider) {
			for _, p := range c.registry.Providers(resourceType) {
				out = append(out, query.Provider{Name: p.Name, Model: p.Model, Configs: p.Configs})
			}
			return out
		},
		Owners: query.Owners{Claiming: c.operations.Owners, Resources: func(ctx context.Context, r *model.Resource) ([]query.Resource, error) {
			if c.registry.Kind(r.GroupVersionKind().GroupKind()) == nil {
				return nil, nil
			}
			return customResources(ctx, reader, r)
		}},
		Active: func(kind kschema.GroupKind, configuration string) bool { return ownersKnown(rt, kind, configuration) },
		Shards: rt.Managed.Shards, Follows: c.follows(),
	}
	if err := c.queries.SetupWithManager(rt.Manager); err != nil {
		return err
	}
	if c.registerer.Register(c.queries) == nil {
		c.end(func() { c.registerer.Unregister(c.queries) })
	}
	return (&estatepolicy.Reconciler{Client: reader}).SetupWithManager(rt.Manager)
}

// customResources returns the custom resources of a kind as owners of objects.
func customResources(ctx context.Context, reader client.Reader, r *model.Resource) (out []query.Resource, _ error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(r.ListGroupVersionKind())
	if err := reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		if meta.IsNoMatchError(err) {
			return nil, nil
		}
		return nil, err
	}
	for i := range list.Items {
		out = append(out, query.Resource{Owner: discovery.OwnerOf(r, &list.Items[i]), Configuration: managed.ConfigurationOf(&list.Items[i])})
	}
	return out, nil
}

// ownersKnown reports whether the objects of all resources of a kind and of modules are claimed
// that use a provider configuration. Otherwise that begins.
func ownersKnown(rt *kinds.Runtime, kind kschema.GroupKind, configuration string) bool {
	select {
	case <-rt.Registry.Claimed():
	default:
		return false
	}
	shards := rt.Managed.Shards
	if shards == nil {
		return true
	}
	names := []string{configuration}
	k := rt.Registry.Kind(kind)
	of := k == nil || k.Activated(names)
	modules := rt.Registry.Activated(slices.DeleteFunc(names, func(name string) bool { return !shards.Has(name, shard.Any) }), true)
	return of && modules
}
