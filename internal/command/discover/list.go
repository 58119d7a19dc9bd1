package discover

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/translate"
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
	p, diags := server.Schema(ctx)
	if diags.HasErrors() {
		out.Diagnostics = diags
		return out
	}
	var objects []engine.Listed
	objects, out.More, out.Diagnostics = engine.New(server).ListObjects(ctx, r.Resource.Schema, p.ListResources[r.Resource.Type], r.Config, r.Limit)
	for _, o := range objects {
		out.Objects = append(out.Objects, Object{Resource: r.Resource, DisplayName: o.DisplayName, Identity: o.Identity})
	}
	slices.SortFunc(out.Objects, func(a, b Object) int {
		return cmp.Or(strings.Compare(a.DisplayName, b.DisplayName), strings.Compare(translate.CanonicalIdentity(a.Identity), translate.CanonicalIdentity(b.Identity)))
	})
	return out
}
