package local

import (
	"context"
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// PolicyResult is what a PlanPolicy decides about a change.
type PolicyResult struct {
	// Address of the resource.
	Address string `json:"address"`
	policy.Result
}

// ReadPolicies reads PlanPolicies. One that cannot be compiled is an error.
func ReadPolicies(sources []Source) ([]*policy.Policy, Messages) {
	var out []*policy.Policy
	var messages Messages
	for _, s := range sources {
		docs, m := documents(s)
		messages = append(messages, m...)
		for _, d := range docs {
			if d.GroupVersionKind() != v1alpha1.GroupVersion.WithKind("PlanPolicy") {
				messages = append(messages, errorf(d.source, "Not a policy",
					"It is a %s of %s, not a PlanPolicy of %s.", d.Kind, d.APIVersion, v1alpha1.GroupVersion))
				continue
			}
			p := &v1alpha1.PlanPolicy{}
			if m := d.decode(p); m.HasErrors() {
				messages = append(messages, m...)
				continue
			}
			compiled := policy.Compile(p)
			if err := compiled.Invalid(); err != nil {
				messages = append(messages, errorf(d.source, "Invalid policy", "%s.", err))
			}
			out = append(out, compiled)
		}
	}
	return out, messages
}

// Policies returns what policies would decide about the changes of a plan at a time.
func (p *Plan) Policies(ctx context.Context, policies []*policy.Policy, now time.Time) []PolicyResult {
	var out []PolicyResult
	for _, c := range p.Changes {
		if c.Plan.Action == terraform.NoOp || c.Deposed != "" || c.Held != "" {
			continue
		}
		verdict := policy.Decide(ctx, policies, policy.Input{
			Model: c.Model, Plan: &c.Plan, Configurations: c.Resource.Configurations,
			Resource: policy.ResourceMeta{
				Group: c.Model.Group, Kind: c.Model.Kind, Namespace: namespaceOr(c.Namespace), Name: c.Name,
				Labels: c.Resource.Labels,
			},
		}, now)
		for _, r := range verdict.Results() {
			out = append(out, PolicyResult{Address: c.Address, Result: r})
		}
	}
	return out
}

// String returns the result as a line of text.
func (r PolicyResult) String() string {
	return fmt.Sprintf("%s: %s: %s", r.Action, r.Address, r.Result)
}
