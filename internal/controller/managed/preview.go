package managed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// Preview returns what an object, if it were applied, would change of its remote object, in a few
// short lines without secrets. It plans against what is stored and does not read the remote object.
// It has no effect: it neither writes anything nor changes what the kind has in memory.
func (k *Kind) Preview(ctx context.Context, u *unstructured.Unstructured) []string {
	r := &CustomResource{}
	r.assign(u.DeepCopy())
	if meta.WasDeleted(r) || k.Options.Stored == nil {
		return nil
	}
	if paused(r) {
		return []string{"the resource is paused: nothing is changed"}
	}
	p := k.preview(r)
	lines, err := p.plan(ctx)
	if err != nil {
		lines = []string{"cannot be planned: " + err.Error()}
	}
	for i, line := range lines {
		lines[i] = p.conceal(line, r.secrets, &scheduler.Observation{Instance: p.stored})
	}
	return lines
}

// preview is one call of Preview.
type preview struct {
	*connector
	resource *CustomResource
	stored   instance.Instance
	// account is where the stored object is.
	account instance.Account
	// operates is set when an operation was begun whose outcome is not stored, and held when
	// nothing begins because one was interrupted.
	operates, held bool
	// warnings are about the configuration.
	warnings diagnostic.Diagnostics
}

// preview returns a preview of a resource, which has nothing in common with what the kind has in
// memory.
func (k *Kind) preview(r *CustomResource) *preview {
	apart := *k
	apart.Options.Shards = nil                    // whatever shard it is in
	apart.tracked = k.tracked.apart(subjectOf(r)) // a resource that is never stored may have the generation of another one
	apart.Options.Secrets = nil                   // it refers to no Secrets yet
	return &preview{connector: &connector{kind: &apart}, resource: r}
}

func (p *preview) plan(ctx context.Context) ([]string, error) {
	k, r := p.kind, p.resource
	refs, err := references.Of(&r.Unstructured, k.Model)
	if err != nil {
		return nil, err
	}
	found, err := k.resolver(r).Resolve(ctx, &r.Unstructured, refs)
	switch {
	case err != nil:
		return nil, err
	case len(found.Missing) > 0:
		return nil, errors.New(waitsForOthers + strings.Join(found.Missing, "; "))
	}
	req, plan, err := p.planned(ctx, func(v cty.Value) (cty.Value, error) { return v, nil })
	if err != nil || plan == nil {
		return nil, err
	}
	if from := req.MoveFrom; from != nil && from.Exists && !p.stored.Exists() {
		return []string{fmt.Sprintf("takes the object of %s %s over, and is planned then", from.Key.Kind, from.Key.Name)}, nil
	}
	stops, approvals, notes := p.consequences(ctx, req, *plan)
	for _, d := range p.warnings {
		notes = append(notes, Shortened("warning: "+translate.Message(k.Model, diagnostic.Diagnostics{d}), maxWarning))
	}
	for _, action := range trigger.Foreseen(&r.Unstructured, trigger.ChangeOf(plan.Action)) {
		notes = append(notes, Shortened("invokes "+action, maxWarning))
	}
	return slices.Concat(planview.Summary(k.Model, *plan), stops, approvals, k.foresee(ctx, r, plan), notes), nil
}

// planned returns the plan of the resource, whose references are resolved; nil if it is only
// observed. with changes the configuration.
func (p *preview) planned(ctx context.Context, with func(cty.Value) (cty.Value, error)) (scheduler.Request, *terraform.Plan, error) {
	spec, diags := p.kind.read(p.resource)
	req, more := p.request(ctx, p.resource, spec)
	if diags = append(diags, more...); diags.HasErrors() {
		return req, nil, p.problem(diags)
	}
	if req.Config == nil {
		return req, nil, nil
	}
	p.warnings = diags.Warnings()
	ex, release, diags := req.Acquire(ctx)
	if diags.HasErrors() {
		return req, nil, p.problem(diags)
	}
	defer release()
	var err error
	if p.stored, err = p.load(ctx, ex, req); err != nil {
		return req, nil, err
	}
	if err := scheduler.AccountRefused(&req, p.account); err != nil && p.stored.Exists() {
		return req, nil, p.problem(err.Diagnostics)
	}
	if from := req.MoveFrom; from != nil && from.Exists && !p.stored.Exists() {
		if from.Invalid != nil {
			return req, nil, p.problem(from.Invalid)
		}
		return req, &terraform.Plan{}, nil
	}
	config := *req.Configuration()
	if config.Value, err = with(config.Value); err != nil {
		return req, nil, err
	}
	if p.stored.Exists() {
		config.Value = req.CreateToken.In(config.Value, p.stored.State, "")
	}
	plan, diags := ex.Plan(ctx, req.Type, p.stored, config)
	if diags.HasErrors() {
		return req, nil, p.problem(diags)
	}
	return req, &plan, nil
}

func (p *preview) problem(diags diagnostic.Diagnostics) error {
	return errors.New(p.text(&scheduler.Error{Diagnostics: diags}, p.resource.secrets))
}

// load returns what is stored of the resource, in the current schema versions.
func (p *preview) load(ctx context.Context, ex terraform.Executor, req scheduler.Request) (instance.Instance, error) {
	rec, err := p.kind.Options.Stored(ctx, req.Key, req.Type.Schema)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return instance.Instance{}, nil
	case err != nil:
		return instance.Instance{}, errors.New("what is stored of the object cannot be read")
	}
	in := rec.Instance
	p.account = rec.Account
	p.operates, p.held = in.Operation != nil, scheduler.Holds(&req, rec.Handled)
	in.Operation = nil // planned as if it had not begun
	if len(in.RawState) == 0 && len(in.RawIdentity) == 0 {
		return in, nil
	}
	u, ok := ex.(terraform.Upgrader)
	if !ok {
		return instance.Instance{}, errors.New("what is stored of the object is of another version of its schema")
	}
	out, diags := u.Upgrade(ctx, req.Type, in)
	if diags.HasErrors() {
		return instance.Instance{}, p.problem(diags)
	}
	return out, nil
}

// consequences returns why a plan would not be carried out, which approvals it would wait for, and
// what else there is to say about it.
func (p *preview) consequences(ctx context.Context, req scheduler.Request, plan terraform.Plan) (stops, approvals, notes []string) {
	if plan.Action == terraform.NoOp {
		return nil, nil, nil
	}
	switch {
	case plan.Action == terraform.Create && !req.Policies.Create, plan.Action == terraform.Update && !req.Policies.Update:
		stops = append(stops, fmt.Sprintf("not carried out: spec.managementPolicies does not allow %s", plan.Action))
	case req.Policies.Protected && (plan.Action.IsReplace() || len(plan.Destroys()) > 0):
		stops = append(stops, "refused: spec.lifecycle.deletionProtection forbids to destroy anything")
	case plan.Action.IsReplace() && !req.Policies.Replace:
		stops = append(stops, "refused: spec.lifecycle.replacePolicy or spec.managementPolicies do not allow a replacement")
	}
	var verdict policy.Verdict
	if decide := p.decider(p.resource, req.Configurations); decide != nil {
		var err error
		if verdict, err = decide(ctx, &plan); err != nil {
			return append(stops, "the PlanPolicies cannot be read"), nil, nil
		}
	}
	for _, r := range verdict.Denied {
		stops = append(stops, "denied: "+r.String())
	}
	for _, r := range verdict.Approval {
		approvals = append(approvals, "waits for approval: "+r.String())
	}
	for _, r := range verdict.Warnings {
		notes = append(notes, r.String())
	}
	o := scheduler.Observation{Plan: &plan, PlanHash: "planned", PlanAction: plan.Action}
	if len(verdict.Approval) == 0 && o.NeedsApproval(desired.Policies{Approval: req.Policies.Approval}) {
		approvals = append(approvals, "waits for approval, by its approval policy")
	}
	return stops, approvals, notes
}
