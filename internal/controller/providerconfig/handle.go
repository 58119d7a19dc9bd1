package providerconfig

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

// Handle gives access to a provider that is configured as one provider configuration specifies. T
// is what Acquire returns: a leased provider.Server, or what a caller of Resolve makes of it.
type Handle[T any] struct {
	// Name identifies the configuration.
	Name string
	// Objects are the objects in the cluster that the configuration, or each of those that were
	// joined, is made of.
	Objects []policy.Configuration
	// Account is what the configuration has in common with others for the same account.
	Account ownership.Account
	// Stored is what is stored of the account; empty if it is not known.
	Stored instance.Account
	// Parts are the configurations that were joined, by their keys.
	Parts map[string]ownership.Access
	// Acquire leases the provider for one call or operation. release must be called when it has
	// ended.
	Acquire func(ctx context.Context) (_ T, release func(), _ diagnostic.Diagnostics)
	// With is Acquire with further arguments of the provider, which take precedence over those of
	// the configuration: an object of the type that its schema implies. It is nil for what is not a
	// provider.
	With func(ctx context.Context, settings cty.Value) (_ T, release func(), _ diagnostic.Diagnostics)
	// Paused reports whether calls fail because of the configuration, so that the pool delays all
	// of them alike; nil if it is never paused.
	Paused func() bool
	// Secrets are the values that were read from Secrets. They must not appear in messages.
	Secrets []string
	// Approval is the least approval policy of the resources that use the configuration.
	Approval desired.Approval
	// Denied is set if the configuration cannot be used because it is not for the namespace,
	// Missing if there is none.
	Denied, Missing bool
	// Diagnostics explain why the configuration cannot be used; Acquire returns the same.
	Diagnostics diagnostic.Diagnostics

	last *Handle[T]
}

// For returns h, and its Last, for the calls that are made for a revision of a resource.
func (h Handle[T]) For(u provider.User, revision string) Handle[T] {
	acquire, with := h.Acquire, h.With
	user := func(ctx context.Context) context.Context {
		return provider.WithRevision(provider.WithUser(ctx, u), revision)
	}
	h.Acquire = func(ctx context.Context) (T, func(), diagnostic.Diagnostics) { return acquire(user(ctx)) }
	if with != nil {
		h.With = func(ctx context.Context, settings cty.Value) (T, func(), diagnostic.Diagnostics) {
			return with(user(ctx), settings)
		}
	}
	if h.last != nil {
		last := h.last.For(u, revision)
		h.last = &last
	}
	return h
}

// Refuse returns a Handle that cannot be used, for the reason given.
func Refuse[T any](name string, diags diagnostic.Diagnostics) Handle[T] {
	return Handle[T]{Name: name, Diagnostics: diags, Acquire: func(context.Context) (none T, _ func(), _ diagnostic.Diagnostics) {
		return none, nil, diags
	}}
}

// Last returns the handle itself if it can be used. If the configuration or its Secrets are gone,
// it returns the last handle that could be used, if this process has seen one. Resources that are
// being deleted are destroyed with it: the deletion of a namespace, for example, removes Secrets
// first.
func (h Handle[T]) Last() Handle[T] {
	if h.Diagnostics.HasErrors() && h.last != nil {
		return *h.last
	}
	return h
}

// WithLast returns h with the given Last, for when h cannot be used. The Secrets of last are still
// remembered, so they must not appear in messages either.
func (h Handle[T]) WithLast(last Handle[T]) Handle[T] {
	h.last = &last
	if h.Account == (ownership.Account{}) {
		h.Account = last.Account // no other configuration may take over the objects meanwhile
	}
	h.Stored = cmp.Or(h.Stored, last.Stored)
	h.Secrets = append(slices.Clone(h.Secrets), last.Secrets...)
	return h
}

// AtLeast returns h, and its Last, with an approval policy that is at least as strict as the given
// one.
func (h Handle[T]) AtLeast(approval desired.Approval) Handle[T] {
	h.Approval = max(h.Approval, approval)
	if h.last != nil {
		last := h.last.AtLeast(approval)
		h.last = &last
	}
	return h
}

// Map returns a Handle whose Acquire passes what h leases through f.
func Map[S, T any](h Handle[S], f func(S) T) Handle[T] {
	out := Handle[T]{
		Name: h.Name, Objects: h.Objects, Account: h.Account, Stored: h.Stored, Parts: h.Parts, Paused: h.Paused,
		Secrets: h.Secrets, Approval: h.Approval, Denied: h.Denied, Missing: h.Missing, Diagnostics: h.Diagnostics,
		Acquire: func(ctx context.Context) (none T, _ func(), _ diagnostic.Diagnostics) {
			leased, release, diags := h.Acquire(ctx)
			if diags.HasErrors() {
				return none, nil, diags
			}
			return f(leased), release, diags
		},
	}
	if h.last != nil {
		last := Map(*h.last, f)
		out.last = &last
	}
	return out
}

// Join returns one Handle for several configurations, for what needs more than one provider. It
// leases all of them or none.
func Join[T any](handles map[string]Handle[T]) Handle[map[string]T] {
	out := join(handles)
	gone, last := false, map[string]Handle[T]{}
	for key, h := range handles {
		last[key] = h.Last()
		gone = gone || h.Diagnostics.HasErrors() && h.last != nil
	}
	if gone {
		before := join(last)
		out.last = &before
	}
	return out
}

func join[T any](handles map[string]Handle[T]) Handle[map[string]T] {
	out := Handle[map[string]T]{Parts: map[string]ownership.Access{}}
	var names []string
	stored := map[string]instance.Configuration{}
	keys := slices.Sorted(maps.Keys(handles))
	for _, key := range keys {
		h := handles[key]
		names = append(names, h.Name)
		out.Parts[key] = ownership.Access{Configuration: h.Name, Account: h.Account}
		out.Objects = append(out.Objects, h.Objects...)
		if c, ok := h.Stored.Configurations()[""]; ok {
			stored[key] = c
		}
		out.Secrets = append(out.Secrets, h.Secrets...)
		out.Diagnostics = append(out.Diagnostics, h.Diagnostics...)
		out.Denied, out.Missing = out.Denied || h.Denied, out.Missing || h.Missing
		out.Approval = max(out.Approval, h.Approval)
	}
	out.Name, out.Stored = strings.Join(names, " "), instance.AccountOf(stored)
	out.Paused = func() bool {
		for _, h := range handles {
			if h.Paused != nil && h.Paused() {
				return true
			}
		}
		return false
	}
	out.Acquire = func(ctx context.Context) (map[string]T, func(), diagnostic.Diagnostics) {
		all := map[string]T{}
		var releases []func()
		release := func() {
			for _, f := range releases {
				f()
			}
		}
		for _, key := range keys {
			leased, done, diags := handles[key].Acquire(ctx)
			if diags.HasErrors() {
				release()
				return nil, nil, diags
			}
			all[key], releases = leased, append(releases, done)
		}
		return all, release, nil
	}
	return out
}
