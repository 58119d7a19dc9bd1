package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/slots"
)

// defaultLimit is the limit of a query that has none.
const defaultLimit = 1000

// outcome is what a run of a query has found, or why it has found nothing.
type outcome struct {
	problem *problem
	result  *tally
	// more is set if there may be more objects than the limit.
	more     bool
	warnings string
	// pages are the names of ConfigMaps, and left is the number of objects that do not fit them.
	pages []string
	left  int
	// judged is set if policies have judged the objects.
	judged bool
}

// run lists the objects of a query.
func (r *Reconciler) run(ctx context.Context, q *v1alpha1.ResourceQuery, t *target) outcome {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	visit := &providerconfig.Visit{}
	ctx = providerconfig.WithVisit(slots.WithOwner(ctx, q.Namespace), visit)
	user := provider.User{Namespace: q.Namespace, Resource: "ResourceQuery." + v1alpha1.Group + "/" + q.Name}
	h := t.provider.Configs.Resolve(ctx, t.reference, q.Namespace).
		For(user, fmt.Sprintf("%s/%d/%s", q.UID, q.Generation, q.Annotations[v1alpha1.AnnotationReconcile]))
	secrets := &redact.Redactor{}
	secrets.AddStrings(h.Secrets...)
	server, release, diags := h.Acquire(ctx)
	if diags.HasErrors() {
		return outcome{problem: unavailable(h, visit.Refused(), secrets.Replace(errorsOf(diags, nil)))}
	}
	defer release()
	owners, err := r.ownersOf(ctx, t, h)
	if err != nil {
		return outcome{problem: waiting(v1alpha1.ReasonListFailed, "The resources that own objects cannot be read: %s.", err)}
	}
	out := &tally{namespace: q.Namespace, secrets: secrets, pages: q.Spec.Pages}
	limit := q.Spec.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	now := time.Now()
	request := discovery.Request{Resource: t.resource, List: t.list, Config: t.config, Limit: limit, States: len(t.policies) > 0}
	listing := discovery.List(ctx, server, request, func(objects []discovery.Object) {
		for _, o := range objects {
			o.Owners = owners.of(ctx, o.Identity)
			out.add(o, func(f policy.Found) []policy.Violated {
				f.Query, f.Configuration = policy.QueryMeta{Namespace: q.Namespace, Name: q.Name, Labels: q.Labels}, configurationOf(h.Objects)
				return policy.Judge(ctx, t.policies, f, now)
			})
		}
	})
	if listing.Diagnostics.HasErrors() {
		return outcome{problem: listFailed(t, visit, listing.Diagnostics, secrets)}
	}
	result := outcome{
		result: out, more: listing.More, judged: len(t.policies) > 0,
		warnings: managed.Shortened(secrets.Replace(errorsOf(listing.Diagnostics.Warnings(), t.list.UserPath)), 1024),
	}
	result.pages, result.left, err = r.writePages(ctx, q, out.all, listing)
	if err != nil {
		result.problem = waiting(v1alpha1.ReasonPagesFailed, "The pages cannot be written: %s.", err)
	}
	return result
}

// configurationOf returns the provider configuration of a query.
func configurationOf(objects []policy.Configuration) policy.Configuration {
	if len(objects) == 1 {
		return objects[0]
	}
	return policy.Configuration{}
}

// unavailable is the problem that there is no provider server.
func unavailable(h providerconfig.Handle[provider.Server], f *pool.Failure, message string) *problem {
	switch {
	case h.Denied:
		return stalled(v1alpha1.ReasonNamespaceNotAllowed, "%s", message)
	case f == nil:
		return waiting(v1alpha1.ReasonProviderConfig, "%s", message)
	}
	out := waiting(providerconfig.ReasonOf(f), "%s", message)
	out.passing, out.retryAt = f.Passing, f.RetryAt
	return out
}

// listFailed is the problem that objects cannot be listed.
func listFailed(t *target, visit *providerconfig.Visit, diags diagnostic.Diagnostics, secrets *redact.Redactor) *problem {
	if slices.ContainsFunc(diags.Errors(), func(d diagnostic.Diagnostic) bool { return len(d.Attribute) > 0 }) {
		out := invalidConfig(t.list, diags)
		out.message = secrets.Replace(out.message)
		return out
	}
	out := waiting(v1alpha1.ReasonListFailed, "%s", secrets.Replace(errorsOf(diags.Errors(), t.list.UserPath)))
	if f := visit.Trouble(); f != nil {
		out.reason, out.retryAt = providerconfig.ReasonOf(f), f.RetryAt
	}
	return out
}

// errorsOf returns diagnostics, a line each.
func errorsOf(diags diagnostic.Diagnostics, path func(cty.Path) string) string {
	if path == nil {
		path = func(cty.Path) string { return "" }
	}
	lines := make([]string, 0, len(diags))
	for _, d := range diags {
		lines = append(lines, d.Format(path))
	}
	return strings.Join(lines, "\n")
}

// ownersOf returns what tells the owners of the objects that a query finds.
func (r *Reconciler) ownersOf(ctx context.Context, t *target, h providerconfig.Handle[provider.Server]) (*objectOwners, error) {
	resources, err := r.Owners.Resources(ctx, t.resource)
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return newObjectOwners(r.Owners.Claiming, t, h.Account, resources), nil
}
