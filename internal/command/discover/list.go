package discover

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// parallelism is the maximum of types that are listed concurrently.
const parallelism = 4

// Request is a resource type to list.
type Request struct {
	Resource *model.Resource
	// List is the list resource.
	List *model.ListResource
	// Config are the arguments of the list resource, of its implied type.
	Config cty.Value
	// Limit is the maximum of objects. It must not be 0, which providers interpret differently.
	Limit int64
}

// Object is a remote object.
type Object struct {
	Resource *model.Resource
	// DisplayName is the provider's name for people; it need not be unique.
	DisplayName string
	// Identity is of the identity schema's implied type, and wholly known.
	Identity cty.Value
	// Owners manage the object, or will.
	Owners []Owner
}

// Listing is the result of a Request.
type Listing struct {
	Request Request
	// Objects are sorted by name and identity.
	Objects []Object
	// More is set when the limit was reached, so that there may be more.
	More bool
	// Diagnostics are those of the provider. With errors Objects may be incomplete.
	Diagnostics diagnostic.Diagnostics
}

// All lists several types. The listings are in the order of the requests.
func All(ctx context.Context, server provider.Server, requests []Request) []Listing {
	out := make([]Listing, len(requests))
	var group errgroup.Group
	group.SetLimit(parallelism)
	for i, r := range requests {
		group.Go(func() error {
			out[i] = List(ctx, server, r)
			return nil
		})
	}
	_ = group.Wait()
	return out
}

// List lists the objects of one type.
func List(ctx context.Context, server provider.Server, r Request) Listing {
	out := Listing{Request: r}
	config, err := wire.Marshal(r.Config, r.List.Config.Cty)
	if err != nil {
		out.Diagnostics = diagnostic.Errorf("Value cannot be encoded", "The arguments to list %s cannot be sent to the provider: %s.", r.Resource.Type, err)
		return out
	}
	if out.Diagnostics = validate(ctx, server, r, config); out.Diagnostics.HasErrors() {
		return out
	}
	// Cancel the rest of the stream.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := server.ListResource(ctx, &tfprotov6.ListResourceRequest{
		TypeName: r.Resource.Type, Config: &tfprotov6.DynamicValue{MsgPack: config}, Limit: r.Limit,
	})
	if err != nil {
		out.Diagnostics = append(out.Diagnostics, provider.CallError(err)...)
		return out
	}
	for result := range stream.Results {
		out.Diagnostics = append(out.Diagnostics, diagnostic.FromProtocol(result.Diagnostics)...)
		if result.Identity == nil || result.Identity.IdentityData == nil {
			continue // only diagnostics
		}
		identity, diags := decodeIdentity(r.Resource, result.Identity.IdentityData)
		if diags.HasErrors() {
			out.Diagnostics = append(out.Diagnostics, diags...)
			continue
		}
		if int64(len(out.Objects)) >= r.Limit {
			out.More = true
			break
		}
		out.Objects = append(out.Objects, Object{Resource: r.Resource, DisplayName: result.DisplayName, Identity: identity})
	}
	out.More = out.More || int64(len(out.Objects)) >= r.Limit
	slices.SortFunc(out.Objects, func(a, b Object) int {
		return cmp.Or(strings.Compare(a.DisplayName, b.DisplayName), strings.Compare(translate.CanonicalIdentity(a.Identity), translate.CanonicalIdentity(b.Identity)))
	})
	return out
}

func validate(ctx context.Context, server provider.Server, r Request, config []byte) diagnostic.Diagnostics {
	include, err := wire.Marshal(cty.False, cty.Bool)
	if err != nil {
		return diagnostic.Errorf("Value cannot be encoded", "%s.", err)
	}
	limit, err := wire.Marshal(cty.NumberVal(new(big.Float).SetInt64(r.Limit)), cty.Number)
	if err != nil {
		return diagnostic.Errorf("Value cannot be encoded", "%s.", err)
	}
	answer, err := server.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: r.Resource.Type, Config: &tfprotov6.DynamicValue{MsgPack: config},
		IncludeResourceObject: &tfprotov6.DynamicValue{MsgPack: include}, Limit: &tfprotov6.DynamicValue{MsgPack: limit},
	})
	if provider.IsUnimplemented(err) {
		return nil
	}
	if err != nil {
		return provider.CallError(err)
	}
	return diagnostic.FromProtocol(answer.Diagnostics)
}

func decodeIdentity(r *model.Resource, v *tfprotov6.DynamicValue) (cty.Value, diagnostic.Diagnostics) {
	const summary, bug = "Provider listed an invalid identity", "This is a bug in the provider, which should be reported in the provider's own issue tracker."
	if r.Schema.Identity == nil {
		return cty.NilVal, diagnostic.Errorf(summary, "The provider listed an object of %s, but has no identity schema for it. %s", r.Type, bug)
	}
	t := r.Schema.IdentityType()
	var out cty.Value
	var err error
	if len(v.MsgPack) > 0 {
		out, err = wire.Unmarshal(v.MsgPack, t)
	} else {
		out, err = wire.UnmarshalJSON(v.JSON, t)
	}
	switch {
	case err != nil:
		return cty.NilVal, diagnostic.Errorf(summary, "The identity of an object of %s does not fit its schema: %s. %s", r.Type, err, bug)
	case out.IsNull() || !out.IsWhollyKnown():
		return cty.NilVal, diagnostic.Errorf(summary, "The identity of an object of %s is not known. %s", r.Type, bug)
	}
	return out, nil
}
