package action

import (
	"context"
	"fmt"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// planned is the plan of an action.
type planned struct {
	handle providerconfig.Handle[terraform.Executor]
	config cty.Value
	// hash identifies it, and changes shows the arguments.
	hash    string
	changes []translate.Change
	// approval is set if it waits for approval until approved is set. other is set if another plan
	// is approved.
	approval, approved, other bool
	warnings                  []string
}

// state returns what the plan permits.
func (p *planned) state() invocation.Plan {
	switch {
	case p == nil:
		return invocation.Held
	case p.approval && !p.approved:
		return invocation.Unapproved
	}
	return invocation.Permitted
}

// plan plans the action of an object, and asks whether it may be invoked. It does not wait for a
// provider.
func (k *Kind) plan(ctx context.Context, o *object) (*planned, *failure) {
	if of := o.GetAnnotations()[v1alpha1.AnnotationInvoked]; of != "" && of != string(o.GetUID()) {
		return nil, &failure{reason: v1alpha1.ReasonInvokedBefore, stalls: true, waits: true, message: fmt.Sprintf(
			"The action was invoked for the object of which this one is a copy or was restored. Remove the "+
				"annotation %s to have it invoked again.",
			v1alpha1.AnnotationInvoked)}
	}
	p := &planned{handle: k.handle(ctx, o)}
	o.Secrets = append(o.Secrets, p.handle.Secrets...)
	if why := k.halted(o, p.handle); why != "" {
		return nil, &failure{reason: v1alpha1.ReasonOperationsPaused, message: why, waits: true}
	}
	if err := k.resolve(ctx, o); err != nil {
		return nil, &failure{
			reason: v1alpha1.ReasonReferenceNotResolved, message: err.Error(), stalls: references.Mistaken(err),
			waits: strings.HasPrefix(err.Error(), unmanaged.Waiting),
		}
	}
	if p.handle.Diagnostics.HasErrors() {
		return nil, unusable(p.handle)
	}
	var f *failure
	if p.config, f = k.arguments(ctx, o); f != nil {
		return nil, f
	}
	diags, f := k.ask(ctx, o, p)
	if f != nil {
		return nil, f
	}
	for _, d := range diags.Warnings() {
		p.warnings = append(p.warnings, o.Redacted(translate.Message(k.Model, diagnostic.Diagnostics{d})))
	}
	return p, k.permit(ctx, o, p)
}

// handle resolves the provider configuration of an object.
func (k *Kind) handle(ctx context.Context, o *object) providerconfig.Handle[terraform.Executor] {
	return k.Handle(ctx, &o.Resource, fmt.Sprint(o.GetGeneration()))
}

// halted returns why nothing may begin for an object; empty if it may.
func (k *Kind) halted(o *object, h providerconfig.Handle[terraform.Executor]) string {
	if k.Options.Paused == nil {
		return ""
	}
	ref := managed.ConfigurationOf(&o.Unstructured)
	of := halt.Subject{Providers: k.Providers, Accounts: []string{halt.ConfigurationName(ref.Kind, ref.Namespace, ref.Name)}}
	for _, c := range h.Objects {
		if c.Account != "" {
			of.Accounts = append(of.Accounts, c.Account)
		}
	}
	return k.Options.Paused(of)
}

// resolve sets the referencing fields of an object in memory only.
func (k *Kind) resolve(ctx context.Context, o *object) error {
	return k.Resolve(ctx, &o.Resource, func() providerconfig.Handle[terraform.Executor] { return k.handle(ctx, o) })
}

// arguments reads the configuration of an object, and the Secrets of its namespace that it refers
// to.
func (k *Kind) arguments(ctx context.Context, o *object) (cty.Value, *failure) {
	config, message, missing := k.Configuration(ctx, &o.Resource)
	if message != "" {
		return cty.NilVal, &failure{reason: v1alpha1.ReasonInvalidConfiguration, message: message, stalls: !missing}
	}
	return config, nil
}

// ask has the provider plan the action. The diagnostics are warnings.
func (k *Kind) ask(ctx context.Context, o *object, p *planned) (diagnostic.Diagnostics, *failure) {
	ctx, cancel := context.WithTimeout(ctx, k.Options.Timeout)
	defer cancel()
	ex, release, diags := p.handle.Acquire(ctx)
	if diags.HasErrors() {
		return nil, k.unasked(o, diags)
	}
	defer release()
	invoker, ok := ex.(terraform.ActionInvoker)
	if !ok {
		return nil, &failure{
			reason:  v1alpha1.ReasonInvalidConfiguration,
			message: "Actions cannot be invoked with this way of execution.", stalls: true,
		}
	}
	diags = invoker.PlanAction(ctx, k.Model.Type, p.config)
	if diags.HasErrors() {
		return nil, k.unasked(o, diags)
	}
	return diags, nil
}

// permit asks policies about a plan, and whether it is approved.
func (k *Kind) permit(ctx context.Context, o *object, p *planned) *failure {
	shown := terraform.Plan{Resource: terraform.ResourceType{Schema: k.Model.Schema}, Action: terraform.Invoke, State: p.config}
	p.changes = translate.Changes(k.Model, cty.NilVal, p.config)
	p.hash = k.hash(o, p)
	verdict, err := k.decide(ctx, o, p, &shown)
	switch {
	case err != nil:
		return &failure{
			reason:  xpv2.ReasonReconcileError,
			message: fmt.Sprintf("The PlanPolicies cannot be read, so nothing is invoked: %s.", err),
		}
	case len(verdict.Denied) > 0:
		return &failure{reason: v1alpha1.ReasonDeniedByPolicy, message: verdict.Denied[0].String(), stalls: true, waits: true}
	}
	for _, w := range verdict.Warnings {
		p.warnings = append(p.warnings, w.String())
	}
	least := max(desired.ParseApproval(o.Text("spec", "approvalPolicy")), p.handle.Approval)
	p.approval = least != desired.ApproveNothing || len(verdict.Approval) > 0
	given := o.GetAnnotations()[v1alpha1.AnnotationApprove]
	p.approved = given == p.hash
	p.other = given != "" && !p.approved && given != o.Text("status", "lastApproval", "hash")
	return nil
}

// hash identifies a plan, after the last approval that was used: so each attempt needs its own.
func (k *Kind) hash(o *object, p *planned) string {
	h := keyed.New(k.PlanKey)
	h.Text("invoke", string(o.GetUID()), o.Text("status", "lastApproval", "hash"), k.Model.Type)
	h.Configurations(p.handle.Objects)
	h.Value(p.config)
	return h.String()
}

// decide returns what the PlanPolicies decide about a plan.
func (k *Kind) decide(ctx context.Context, o *object, p *planned, plan *terraform.Plan) (policy.Verdict, error) {
	if k.Options.Policies == nil {
		return policy.Verdict{}, nil
	}
	all, err := k.Options.Policies(ctx)
	if err != nil || len(all) == 0 {
		return policy.Verdict{}, err
	}
	return policy.Decide(ctx, all, policy.Input{
		Model: k.Model, Configurations: p.handle.Objects, Plan: plan,
		Resource: policy.ResourceMeta{
			Group: k.Model.Group, Kind: k.Model.Kind, Namespace: o.GetNamespace(), Name: o.GetName(),
			Labels: o.GetLabels(),
		},
	}, k.Clock.Now()), nil
}

func unusable(h providerconfig.Handle[terraform.Executor]) *failure {
	out := &failure{reason: v1alpha1.ReasonProviderConfig, message: h.Diagnostics.Errors()[0].Format(nil)}
	if h.Denied {
		out.reason, out.stalls = v1alpha1.ReasonNamespaceNotAllowed, true
	}
	return out
}

// unasked returns why an action is not invoked. What passes within seconds is not told.
func (k *Kind) unasked(o *object, diags diagnostic.Diagnostics) *failure {
	f := k.Refused(&o.Resource, v1alpha1.ReasonCannotInvoke, diags)
	return &failure{
		reason: f.Reason, message: f.Message, deferral: f.Deferral, retryAt: f.RetryAt, passing: f.Passing,
		waits: f.Deferral != terraform.NotDeferred, stalls: f.OfResource,
	}
}
