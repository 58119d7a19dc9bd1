package importer

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// ConfiguredProvider is a provider with one of its configurations.
type ConfiguredProvider struct {
	Model *model.Provider
	// Configuration is the provider configuration that custom resources refer to.
	Configuration Configuration
	// Server is the configured provider, and Executor uses it. Both are nil when objects are not
	// read: then the state is used as it is.
	Server   provider.Server
	Executor terraform.Executor
	// Lease returns the provider for the calls of one object, until it is released: a server that
	// has grown is replaced in between. Nil: Server is used for all.
	Lease func(context.Context) (_ *ConfiguredProvider, release func(), _ error)
	// Owners returns the owners of objects of a type with this configuration; nil for none. It is
	// not called concurrently.
	Owners func(context.Context, *model.Resource) (*discovery.Owners, error)
	// Secrets redacts messages.
	Secrets *redact.Redactor
}

// Configuration is a provider configuration, as spec.providerConfigRef names it.
type Configuration struct{ Kind, Name string }

// DefaultConfiguration is the configuration of resources without spec.providerConfigRef.
var DefaultConfiguration = Configuration{Kind: model.ClusterProviderConfigKind, Name: "default"}

// Item is an object to import.
type Item struct {
	Provider *ConfiguredProvider
	Resource *model.Resource
	// Origin is for people: the address in a state, or the identity or id.
	Origin string
	// Name is the preferred name of the custom resource.
	Name string
	// Target is the object, unless Stored is set.
	Target terraform.ImportTarget
	// Stored is the instance of a Terraform state, and Block its resource block.
	Stored *instance.Instance
	Block  Block
	// Declared is set if another system manages the object.
	Declared *Declared
	// Namespace is that of the custom resource. Defaults to Builder.Namespace.
	Namespace string
}

// Left is something that is not imported, and why.
type Left struct{ Origin, Reason string }

// Discovered returns an object that was found by discover as an item.
func Discovered(p *ConfiguredProvider, o discovery.Object) Item {
	name := o.DisplayName
	if name == "" {
		name = externalName(o.Resource, cty.NilVal, o.Identity)
	}
	return Item{
		Provider: p, Resource: o.Resource, Name: name,
		Origin: origin(o.Resource, o.Identity), Target: terraform.ImportTarget{Identity: o.Identity},
	}
}

// ByIdentity returns the object with an identity, which may be partial, as an item.
func ByIdentity(p *ConfiguredProvider, r *model.Resource, identity cty.Value) Item {
	return Item{Provider: p, Resource: r, Origin: origin(r, identity), Target: terraform.ImportTarget{Identity: identity}}
}

// ByID returns the object with an import id as an item.
func ByID(p *ConfiguredProvider, r *model.Resource, id string) Item {
	return Item{Provider: p, Resource: r, Origin: r.Type + " " + id, Target: terraform.ImportTarget{ID: id, Identity: cty.NilVal}}
}
