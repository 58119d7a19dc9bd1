package discovery

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
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/translate"
)

const (
	// parallelism is the maximum of types that are listed concurrently.
	parallelism = 4
	// page is the number of objects that are passed on together.
	page = 500
)

// Request is a resource type to list.
type Request struct {
	Resource *model.Resource
	// List is the list resource.
	List *model.ListResource
	// Config are the arguments of the list resource, of its implied type.
	Config cty.Value
	// Limit is the maximum of objects. It must not be 0, which providers interpret differently.
	Limit int64
	// States is set if the provider is asked for the states of objects, too.
	States bool
}

// Object is a remote object.
type Object struct {
	Resource *model.Resource
	// DisplayName is the provider's name for people; it need not be unique.
	DisplayName string
	// Identity is of the identity schema's implied type, and wholly known.
	Identity cty.Value
	// State is the state of the object; cty.NilVal if it was not asked for, or the list does not
	// have it.
	State cty.Value
	// Owners manage the object, or will.
	Owners []Owner
}

// Listing is how a Request ended.
type Listing struct {
	Request Request
	// More is set when the limit was reached, so that there may be more.
	More bool
	// Diagnostics are those of the provider. With errors the objects may be incomplete.
	Diagnostics diagnostic.Diagnostics
}

// All lists several types and passes their objects on in pages as they arrive, type by type in the
// order of the requests. It stops when each returns an error, and returns that and the listings of
// the types before.
func All(ctx context.Context, server provider.Server, requests []Request, each func(Request, []Object) error) ([]Listing, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, pages := make([]Listing, len(requests)), make([]chan []Object, len(requests))
	for i := range pages {
		// One page waits while another type is passed on; then the provider's stream does.
		pages[i] = make(chan []Object, 1)
	}
	started := make(chan struct{})
	var group errgroup.Group
	group.SetLimit(parallelism)
	go func() {
		defer close(started)
		for i, r := range requests {
			group.Go(func() error {
				defer close(pages[i])
				out[i] = List(ctx, server, r, func(objects []Object) { pages[i] <- objects })
				return nil
			})
		}
	}()
	var failed error
	listed := 0
	for i, r := range requests {
		for objects := range pages[i] {
			if failed != nil {
				continue // so that the lists end
			}
			if failed = each(r, objects); failed != nil {
				cancel()
			}
		}
		if failed == nil {
			listed++
		}
	}
	<-started
	_ = group.Wait()
	return out[:listed], failed
}

// List lists the objects of one type, and passes them on in pages as they arrive. A single page is
// sorted by name and identity; several are in the provider's order.
func List(ctx context.Context, server provider.Server, r Request, each func([]Object)) Listing {
	out := Listing{Request: r}
	p, diags := server.Schema(ctx)
	if diags.HasErrors() {
		out.Diagnostics = diags
		return out
	}
	var objects []Object
	several := false
	add := func(o engine.Listed) {
		if len(objects) == page {
			each(objects)
			objects, several = nil, true
		}
		objects = append(objects, Object{Resource: r.Resource, DisplayName: o.DisplayName, Identity: o.Identity, State: o.State})
	}
	list := p.ListResources[r.Resource.Type]
	if r.States {
		out.More, out.Diagnostics = engine.New(server).
			ListWithStates(ctx, terraform.ResourceType{Schema: r.Resource.Schema}, list, r.Config, r.Limit, add)
	} else {
		out.More, out.Diagnostics = engine.New(server).ListObjects(ctx, r.Resource.Schema, list, r.Config, r.Limit, add)
	}
	if !several {
		slices.SortFunc(objects, func(a, b Object) int {
			return cmp.Or(strings.Compare(a.DisplayName, b.DisplayName),
				strings.Compare(translate.CanonicalIdentity(a.Identity), translate.CanonicalIdentity(b.Identity)))
		})
	}
	if len(objects) > 0 {
		each(objects)
	}
	return out
}
