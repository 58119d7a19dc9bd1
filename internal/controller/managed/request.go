package managed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// read returns the request of the resource.
func (k *Kind) read(r *CustomResource) (desired.Spec, diagnostic.Diagnostics) {
	return desired.Read(k.Model, desired.CustomResource{
		Namespace: r.GetNamespace(), Name: r.GetName(), Annotations: r.GetAnnotations(),
		Spec: r.object("spec"), AtProvider: r.object("status", "atProvider"),
	})
}

// request returns the scheduler's request for the resource.
func (c *connector) request(ctx context.Context, r *CustomResource, spec desired.Spec) (scheduler.Request, diagnostic.Diagnostics) {
	req, diags := c.subject(ctx, r, spec)
	if diags.HasErrors() || req.Deleted || !spec.Described() {
		return req, diags
	}
	config, diags := c.kind.translated(ctx, r, spec)
	if diags.HasErrors() {
		return req, diags
	}
	req.Config, req.ConfigHash = config.config, config.hash
	req.Whole = func() *terraform.Config { return config.whole(spec) }
	return req, config.warnings
}

// subject returns the request without the configuration. Errors are about the provider
// configuration; the request then still identifies the resource and its object.
func (c *connector) subject(ctx context.Context, r *CustomResource, spec desired.Spec) (scheduler.Request, diagnostic.Diagnostics) {
	k := c.kind
	req := scheduler.Request{
		Resource: scheduler.Resource{
			Key:        k.key(&r.Unstructured),
			UID:        r.GetUID(),
			Generation: r.GetGeneration(),
			Created:    r.GetCreationTimestamp().Time,
			Type:       terraform.ResourceType{Schema: k.Model.Schema},
			New:        untouched(r),
			Deleted:    meta.WasDeleted(r),
			Version:    r.GetResourceVersion(),
			Handles:    k.handles,
		},
		Access: scheduler.Access{Release: k.Release, Provider: strings.TrimSpace(k.ProviderAddress + " " + k.ProviderVersion)},
		Desired: scheduler.Desired{
			Policies:            spec.Policies,
			Import:              spec.Import,
			Known:               spec.Known,
			CreateAttempts:      spec.CreateAttempts,
			CreationGracePeriod: spec.CreationGracePeriod,
			Poll:                k.interval(ownInterval(r)),
			WithoutRefresh:      spec.DeleteWithoutRefresh,
			NamedImport:         spec.NamedImport,
			CreateToken:         spec.CreateToken,
			ListArguments:       listArguments(k.Model),
			ListRefresh:         k.listRefresh(r),
			Timeouts:            spec.Timeouts,
			DefaultTimeouts:     spec.DefaultTimeouts,
		},
		Asked: scheduler.Asked{
			ConfirmCreate:  spec.Tokens.ConfirmCreate,
			ConfirmAccount: spec.Tokens.ConfirmAccount,
			Tokens: store.Tokens{
				Taint: spec.Tokens.Taint, Untaint: spec.Tokens.Untaint, Retry: spec.Tokens.Retry,
				Reapply: spec.Tokens.Reapply, Interrupt: spec.Tokens.Interrupt,
				Approve: spec.Tokens.Approve, ApprovedBy: spec.Tokens.ApprovedBy,
			},
			Told: store.Tokens{Taint: r.string("status", "lastHandled", "taint"),
				Approve: r.string("status", "lastApproval", "hash"), ApprovedAction: r.string("status", "lastApproval", "action"),
				ApprovedBy: r.string("status", "lastApproval", "by"), ApprovedAt: r.string("status", "lastApproval", "at")},
			LookRequested: lookRequested(r),
			Author:        history.AuthorOf(r.annotation(v1alpha1.AnnotationChangedBy), r.GetGeneration()),
		},
		Hooks: scheduler.Hooks{Marked: k.Options.Marked, SpellImport: spellImport(k), AllClaimed: k.mayImport},
	}
	if k.Options.Shards != nil {
		req.Here = func(ctx context.Context) error { return k.stillHere(ctx, req.Key, req.UID, req.Deleted) }
	}
	if !req.Deleted {
		req.MoveFrom = k.moveFrom(ctx, r)
	}
	handle := k.resolve(ctx, r)
	if req.Deleted {
		handle = handle.Last()
	}
	through(&req.Access, handle)
	req.Brake = k.brake(r, handle.Objects)
	req.Upgrades = k.upgrades()
	req.Consists = k.Consists()
	req.Policies.Approval = max(req.Policies.Approval, handle.Approval)
	r.secrets = slices.Clone(handle.Secrets)
	if handle.Denied {
		r.reason = v1alpha1.ReasonNamespaceNotAllowed
	}
	if req.Deleted {
		return req, nil // Acquire reports the errors of the handle
	}
	if handle.Diagnostics.HasErrors() {
		if !handle.Denied {
			r.reason = v1alpha1.ReasonProviderConfig
		}
		return req, handle.Diagnostics
	}
	return req, nil
}

// through adds the provider configuration to the access of a request.
func through(access *scheduler.Access, handle providerconfig.Handle[terraform.Executor]) {
	access.Acquire, access.ProviderConfiguration, access.Account = handle.Acquire, handle.Name, handle.Account
	access.Paused, access.Accesses, access.Configurations = handle.Paused, handle.Parts, handle.Objects
	access.StoredAccount = handle.Stored
}

// lookRequested returns the tokens of the annotations that ask for a look at the resource now.
func lookRequested(r *CustomResource) string {
	return r.annotation(v1alpha1.AnnotationReconcile) + " " + r.annotation(meta.AnnotationKeyReconcileRequestedAt)
}

// upgrades returns which upgrades of stored objects are confirmed.
func (k *Kind) upgrades() scheduler.Upgrades {
	if k.Upgrades == nil {
		return scheduler.Upgrades{ConfirmAfter: scheduler.DefaultConfirmAfter}
	}
	return k.Upgrades()
}

// resolve resolves the provider configurations of the resource.
func (k *Kind) resolve(ctx context.Context, r *CustomResource) providerconfig.Handle[terraform.Executor] {
	return k.configuration(ctx, r).For(provider.User{
		Namespace: r.GetNamespace(), Resource: k.Model.Kind + "." + k.Model.Group + "/" + r.GetName(),
	}, fmt.Sprint(r.GetGeneration(), " ", r.annotation(v1alpha1.AnnotationRetry), " ", lookRequested(r)))
}

func (k *Kind) configuration(ctx context.Context, r *CustomResource) providerconfig.Handle[terraform.Executor] {
	if named, ok := k.ProviderConfigs.(NamedProviderConfigs); ok {
		return named.ResolveNamed(ctx, r.GetProviderConfigReference(), r.providerConfigReferences(), r.GetNamespace())
	}
	return k.ProviderConfigs.Resolve(ctx, r.GetProviderConfigReference(), r.GetNamespace())
}

// fresh is the age up to which a resource may be untouched. Of thousands that are created at once,
// the last ones wait for minutes.
const fresh = 15 * time.Minute

// untouched reports whether the resource looks as if nothing was begun for it: it has no
// finalizer of ours, or only the one that the API server adds, and no status. This is wrong if a
// process died before it wrote them. The scheduler detects that.
func untouched(r *CustomResource) bool {
	if !held(r) {
		return true
	}
	return crd.Unobserved(&r.Unstructured) && !meta.FinalizerExists(r, xpmanaged.FinalizerName) &&
		!meta.WasDeleted(r) && time.Since(r.GetCreationTimestamp().Time) < fresh
}
