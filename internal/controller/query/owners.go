package query

import (
	"context"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/schema"
)

// Owners returns the resources that own objects.
type Owners struct {
	// Claiming returns the resources that claim an object, of modules too, as the scheduler does.
	Claiming func(of ownership.Access, r *schema.Resource, identity cty.Value) []ownership.OwnerClaim
	// Resources returns the custom resources of a kind; none if it is not served. Those that only
	// observe an object, or cannot be worked on, claim nothing.
	Resources func(context.Context, *model.Resource) ([]Resource, error)
}

// Resource is a custom resource with its provider configuration.
type Resource struct {
	discovery.Owner
	Configuration providerconfig.Reference
}

// objectOwners tells the owners of the objects of one run.
type objectOwners struct {
	claiming       func(of ownership.Access, r *schema.Resource, identity cty.Value) []ownership.OwnerClaim
	target         *target
	access         ownership.Access
	declared       *discovery.Owners
	configurations map[types.NamespacedName]providerconfig.Reference
	accounts       map[providerconfig.Reference]ownership.Account
}

func newObjectOwners(
	claiming func(ownership.Access, *schema.Resource, cty.Value) []ownership.OwnerClaim, t *target,
	account ownership.Account, resources []Resource,
) *objectOwners {
	own := t.configuration()
	out := &objectOwners{
		claiming: claiming, target: t, access: ownership.Access{Configuration: t.provider.Configs.Name(own), Account: account},
		configurations: map[types.NamespacedName]providerconfig.Reference{},
		accounts:       map[providerconfig.Reference]ownership.Account{own: account},
	}
	owners := make([]discovery.Owner, 0, len(resources))
	for _, r := range resources {
		owners = append(owners, r.Owner)
		out.configurations[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}] = r.Configuration
	}
	out.declared = discovery.NewOwners(owners)
	return out
}

// of returns the owners of the object with an identity.
func (o *objectOwners) of(ctx context.Context, identity cty.Value) []discovery.Owner {
	var out []discovery.Owner
	for _, c := range o.claiming(o.access, o.target.resource.Schema, identity) {
		out = append(out, discovery.Owner{Kind: c.Key.Kind, Namespace: c.Key.Namespace, Name: c.Key.Name, Declared: c.Strength < ownership.Begun})
	}
	for _, d := range o.declared.Of(identity) {
		if o.same(ctx, o.configurations[types.NamespacedName{Namespace: d.Namespace, Name: d.Name}]) {
			out = merged(out, d)
		}
	}
	return out
}

// merged returns owners with one more. Of the same resource, that it manages the object counts.
func merged(all []discovery.Owner, d discovery.Owner) []discovery.Owner {
	for i, o := range all {
		if o.Kind == d.Kind && o.Namespace == d.Namespace && o.Name == d.Name {
			all[i].Declared = o.Declared && d.Declared
			return all
		}
	}
	return append(all, d)
}

// same reports whether a configuration is that of the query, or for the same account.
func (o *objectOwners) same(ctx context.Context, of providerconfig.Reference) bool {
	own := o.target.configuration()
	if of == own {
		return true
	}
	account, ok := o.accounts[of]
	if !ok {
		account = o.target.provider.Configs.Access(ctx, of).Account
		o.accounts[of] = account
	}
	return o.access.Account.Same(account)
}
