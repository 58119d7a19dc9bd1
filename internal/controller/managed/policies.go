package managed

import (
	"context"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// decider returns the function that asks the PlanPolicies about plans of a resource with provider
// configurations; nil if there can be none. It is called during the reconcile and after it, so it
// holds nothing that the reconcile may change.
func (c *connector) decider(r *CustomResource, with []policy.Configuration) func(context.Context, *terraform.Plan) (policy.Verdict, error) {
	policies := c.kind.Options.Policies
	if policies == nil {
		return nil
	}
	in := policy.Input{Model: c.kind.Model, Configurations: with, Resource: policy.ResourceMeta{
		Group: c.kind.Model.Group, Kind: c.kind.Model.Kind, Namespace: r.GetNamespace(), Name: r.GetName(), Labels: r.GetLabels(),
	}}
	return func(ctx context.Context, p *terraform.Plan) (policy.Verdict, error) {
		all, err := policies(ctx)
		if err != nil || len(all) == 0 {
			return policy.Verdict{}, err
		}
		in := in
		in.Plan = p
		return policy.Decide(ctx, all, in, time.Now()), nil
	}
}

// waits reports whether a plan waits for approval, or policies deny it.
func (e *external) waits(ctx context.Context, o *scheduler.Observation) bool {
	switch {
	case o.NeedsApproval(e.request.Policies):
		return true
	case o.PlanHash == "" || e.request.Decide == nil:
		return false
	}
	p := o.Plan
	if p == nil {
		p = &terraform.Plan{Resource: e.request.Type, Action: o.PlanAction, Prior: o.Instance}
	}
	v, err := e.request.Decide(ctx, p)
	return err != nil || len(v.Denied)+len(v.Approval) > 0
}

// setDenied sets the condition Approved of a resource whose plan a policy denies.
func setDenied(r *CustomResource, message string) {
	r.SetConditions(xpv2.Condition{
		Type: v1alpha1.TypeApproved, Status: corev1.ConditionFalse, Reason: v1alpha1.ReasonDeniedByPolicy, Message: message,
		LastTransitionTime: metav1.Now(),
	}.WithObservedGeneration(r.GetGeneration()))
}
