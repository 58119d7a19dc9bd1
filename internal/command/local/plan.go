package local

import (
	"context"
	"maps"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// parallelism is the maximum of resources that are read and planned concurrently, as in Terraform.
const parallelism = 10

// Mode is the purpose of a plan.
type Mode string

// The modes.
const (
	// Normal plans the change that the manifest requests.
	Normal Mode = "normal"
	// Destroy plans the destruction of all objects of the manifest.
	Destroy Mode = "destroy"
	// RefreshOnly only updates the state.
	RefreshOnly Mode = "refresh-only"
)

// Plan holds the changes of a manifest's objects.
type Plan struct {
	Mode Mode
	// Changes are in the order in which they are carried out.
	Changes []*Change
	// Drift are changes that were made outside of Landbridge.
	Drift []planview.Change
	// Others are the addresses of resources in the state that are not in the manifest.
	Others []string
	// found are the instances that were read, which Apply stores.
	found map[*ManifestResource]instance.Instance
}

// Change is the change of one object.
type Change struct {
	planview.Change
	Resource *ManifestResource
	// Refused is set when the manifest asks for the change and its lifecycle forbids it. Applying
	// it is an error.
	Refused bool
}

// View returns the plan for display.
func (p *Plan) View() planview.View {
	v := planview.View{Drift: p.Drift}
	for _, c := range p.Changes {
		v.Changes = append(v.Changes, c.Change)
	}
	return v
}

// HasChanges reports whether Apply would change anything.
func (p *Plan) HasChanges() bool {
	if p.Mode == RefreshOnly {
		return len(p.Drift) > 0
	}
	return !planview.Count(p.View().Changes).Empty()
}

// Plan reads the objects and plans changes. It changes and stores nothing. With errors, the plan is
// incomplete and must not be applied. As in Terraform (contract § 3), all configurations are
// validated before anything is read, except those that refer to other resources. An error in one of
// them ends the plan.
func (s *Session) Plan(ctx context.Context, mode Mode) (*Plan, Messages) {
	out := &Plan{Mode: mode, found: map[*ManifestResource]instance.Instance{}, Others: s.State.Others(s.Manifest.Resources)}
	var messages Messages
	levels := Levels(slices.Concat(s.Manifest.Data, s.Manifest.Resources))
	for i, level := range levels {
		var ready []*ManifestResource
		for _, r := range level {
			if mode == Normal {
				wrong := s.resolve(ctx, r, true)
				if r.isData() && !wrong.HasErrors() {
					wrong = append(wrong, s.planData(ctx, r)...)
				}
				if messages = append(messages, wrong...); wrong.HasErrors() {
					continue
				}
			}
			if !r.isData() {
				ready = append(ready, r)
			}
		}
		plan, more := s.PlanOf(ctx, mode, ready)
		messages = append(messages, more...)
		out.Changes, out.Drift = append(out.Changes, plan.Changes...), append(out.Drift, plan.Drift...)
		maps.Copy(out.found, plan.found)
		if mode == Normal && i < len(levels)-1 {
			s.foresee(level, plan.Changes)
		}
	}
	if mode == Destroy {
		slices.Reverse(out.Changes) // what refers to another object is destroyed first
	}
	return out, conceal(s.Manifest.secrets, messages)
}

// PlanOf is Plan for some resources, in any order.
func (s *Session) PlanOf(ctx context.Context, mode Mode, resources []*ManifestResource) (*Plan, Messages) {
	plan := &Plan{Mode: mode, found: map[*ManifestResource]instance.Instance{}}
	planners := make([]*planner, len(resources))
	for i, r := range resources {
		planners[i] = &planner{Session: s, resource: r, mode: mode}
	}
	messages := each(ctx, planners, (*planner).validate)
	if !messages.HasErrors() {
		messages = append(messages, each(ctx, planners, (*planner).plan)...)
	}
	for _, p := range planners {
		plan.Changes = append(plan.Changes, p.changes...)
		plan.Drift = append(plan.Drift, p.drift...)
		if !p.failed {
			plan.found[p.resource] = p.found
		}
	}
	return plan, conceal(s.Manifest.secrets, messages)
}

// each calls do for all planners concurrently, and returns the messages in the planners' order.
func each(ctx context.Context, planners []*planner, do func(*planner, context.Context)) Messages {
	var group errgroup.Group
	group.SetLimit(parallelism)
	for _, p := range planners {
		group.Go(func() error {
			if ctx.Err() != nil {
				p.messages = Messages{interrupted(p.resource)}
				return nil
			}
			do(p, ctx)
			return nil
		})
	}
	_ = group.Wait()
	var out Messages
	for _, p := range planners {
		out = append(out, p.messages...)
		p.failed = p.failed || p.messages.HasErrors()
		p.messages = nil
	}
	return out
}

func interrupted(r *ManifestResource) Message {
	m := errorf("", "Interrupted", "It was interrupted before this resource's turn came.")
	m.Address = r.Address()
	return m
}

// planner plans one resource.
type planner struct {
	*Session
	resource *ManifestResource
	mode     Mode

	changes []*Change
	drift   []planview.Change
	found   instance.Instance
	// upgraded is the stored state in the current schema; cty.NilVal when nothing was read.
	upgraded cty.Value
	messages Messages
	failed   bool
}

func (p *planner) say(diags diagnostic.Diagnostics) bool {
	p.messages = append(p.messages, p.Session.say(p.resource, diags)...)
	return !diags.HasErrors()
}

func (p *planner) view(plan terraform.Plan) planview.Change {
	r := p.resource
	return planview.Change{
		Model: r.Model, Address: r.Address(), Namespace: r.Namespace, Name: r.Name, Label: r.Label(),
		Provider: p.Source, Plan: plan, Invokes: trigger.Foreseen(r.Declared, trigger.ChangeOf(plan.Action)),
	}
}

// validate reports an import that cannot be read, and has the provider validate the configuration.
func (p *planner) validate(ctx context.Context) {
	r := p.resource
	if p.mode != Normal || r.Spec.Paused {
		return
	}
	if stored, err := p.stored(ctx, r); err == nil && !stored.Exists() && r.Spec.Known == nil {
		p.say(r.Spec.Import.Invalid)
	}
	if r.Config == nil {
		return
	}
	ex, release, messages := p.acquire(ctx, r)
	p.messages = append(p.messages, messages...)
	if messages.HasErrors() {
		return
	}
	defer release()
	p.say(ex.Validate(ctx, r.terraform(), *r.Config))
}

func (p *planner) plan(ctx context.Context) {
	r := p.resource
	stored, err := p.stored(ctx, r)
	if err != nil {
		m := errorf(r.Source, "State cannot be used", "%s.", err)
		m.Address = r.Address()
		p.messages = append(p.messages, m)
		return
	}
	p.conceal(stored)
	p.found = stored
	if r.Spec.Paused {
		p.messages = append(p.messages, Message{
			Severity: diagnostic.Warning, Summary: "Paused", Address: r.Address(), Source: r.Source,
			Detail: "The resource is paused, and is left alone.",
		})
		return
	}
	ex, release, messages := p.acquire(ctx, r)
	p.messages = append(p.messages, messages...)
	if messages.HasErrors() {
		return
	}
	defer release()

	importing, ok := p.find(ctx, ex, stored)
	if !ok {
		if p.mode != RefreshOnly {
			p.deposed(ctx, ex) // to report all errors
		}
		return
	}
	if r.Config != nil && p.mode != Destroy {
		// As in Terraform, it follows the configuration even if the change fails.
		p.found.CreateBeforeDestroy = r.Config.CreateBeforeDestroy && p.found.Exists()
	}
	p.conceal(p.found)
	p.compare(stored)
	if p.mode == RefreshOnly {
		return
	}
	p.deposed(ctx, ex)
	if c := p.change(ctx, ex); c != nil {
		c.Importing = importing
		p.conceal(instance.Instance{State: c.Plan.State, SensitivePaths: c.Plan.SensitivePaths})
		// Deposed objects may be in use until the new object exists.
		p.changes = slices.Insert(p.changes, 0, c)
	}
}

// conceal adds the sensitive values of an instance to the redactor.
func (p *planner) conceal(in instance.Instance) {
	if in.State == cty.NilVal {
		return
	}
	p.resource.Model.Root().Secrets(in.State, p.Manifest.secrets.AddValue)
	for _, path := range in.SensitivePaths {
		if v, err := path.Apply(in.State); err == nil {
			p.Manifest.secrets.AddValue(v)
		}
	}
}

// find refreshes a stored object, or imports one that is not stored.
func (p *planner) find(ctx context.Context, ex terraform.Executor, stored instance.Instance) (importing *terraform.ImportTarget, ok bool) {
	r := p.resource
	if stored.Exists() {
		if r.Spec.Tokens.Untaint != "" && stored.Status == instance.Tainted {
			stored.Status = instance.Partial
		}
		if p.unread() {
			out, ok := p.upgrade(ctx, ex, stored)
			p.found = out
			return nil, ok
		}
		out, diags := ex.Refresh(ctx, r.terraform(), stored)
		if diags.HasErrors() && p.mode == Destroy {
			diags = append(diags, diagnostic.Errorf("Object not destroyed",
				"An object is read before it is destroyed. If it cannot be read any more, destroy it as it is in the state, with --refresh=false.")...)
		}
		if !p.say(diags) {
			return nil, false
		}
		p.found, p.upgraded = out.Instance, out.Upgraded
		if p.found.Exists() && p.found.Status == instance.Partial {
			p.found.Status = instance.Full
		}
		return nil, true
	}
	if p.mode != Normal {
		return nil, true
	}
	return p.adopt(ctx, ex, stored)
}

// unread reports whether objects are planned as they are stored.
func (p *planner) unread() bool {
	return p.Stored != nil && p.WithoutRefresh || p.mode == Destroy && (p.WithoutRefresh || p.resource.Spec.DeleteWithoutRefresh)
}

// upgrade brings a stored object to the current schema versions without reading it.
func (p *planner) upgrade(ctx context.Context, ex terraform.Executor, stored instance.Instance) (instance.Instance, bool) {
	u, ok := ex.(terraform.Upgrader)
	if !ok {
		return stored, true
	}
	out, diags := u.Upgrade(ctx, p.resource.terraform(), stored)
	return out, p.say(diags)
}

// adopt imports an object when none is stored: the one that spec.import names or, if that does not
// exist, the one that the annotations name.
func (p *planner) adopt(ctx context.Context, ex terraform.Executor, stored instance.Instance) (importing *terraform.ImportTarget, ok bool) {
	spec := p.resource.Spec
	missing := spec.Import.Invalid
	if target := spec.Import.Target; target != nil {
		in, diags := ex.Import(ctx, p.resource.terraform(), *target)
		switch {
		case !diags.HasErrors():
			p.say(diags)
			p.take(in, stored)
			return target, true
		case !terraform.NonExistent(diags):
			p.say(diags)
			return nil, false
		}
		missing = diags
	}
	if known := spec.Known; known != nil {
		in, diags := ex.Import(ctx, p.resource.terraform(), known.Target)
		switch {
		case !diags.HasErrors() && known.Observed && !known.Recognize(in):
			p.say(diagnostic.Errorf("Object not recognized",
				"This resource has no stored state, and the object that its annotations name has another name. If "+
					"the object exists, set spec.import; if it does not, remove the annotations %s and %s to "+
					"have it created.",
				meta.AnnotationKeyExternalName, v1alpha1.AnnotationIdentity))
			return nil, false
		case !diags.HasErrors():
			p.say(diags)
			p.take(in, stored)
			return &known.Target, true
		case !terraform.NonExistent(diags):
			p.say(diags)
			return nil, false
		}
	}
	return nil, p.say(missing)
}

// take makes an imported object the resource's object.
func (p *planner) take(imported, stored instance.Instance) {
	imported.Deposed = stored.Deposed
	if c := p.resource.Config; c != nil {
		imported.SensitivePaths = c.SensitivePaths // sensitive from the first plan on
	}
	p.found = imported
}

// compare records changes of the object since it was stored.
func (p *planner) compare(stored instance.Instance) {
	if p.upgraded == cty.NilVal {
		return
	}
	found := p.found.State
	if !p.found.Exists() {
		found = cty.NullVal(p.resource.Model.Schema.ImpliedType())
	}
	if p.upgraded.RawEquals(found) {
		return
	}
	stored.State, stored.RawState = p.upgraded, nil
	plan := terraform.Plan{
		Resource: p.resource.terraform(), Action: terraform.Update, Prior: stored, State: found, Identity: p.found.Identity,
		SensitivePaths: stored.SensitivePaths,
	}
	if found.IsNull() {
		plan.Action = terraform.Delete
	}
	p.drift = append(p.drift, p.view(plan))
}

// deposed plans the destruction of deposed objects.
func (p *planner) deposed(ctx context.Context, ex terraform.Executor) {
	var left []instance.Deposed
	for _, d := range p.found.Deposed {
		out, ok := p.readDeposed(ctx, ex, d)
		if !ok {
			left = append(left, d)
			continue
		}
		if !out.Exists() {
			continue
		}
		left = append(left, out.Depose(d.Key))
		plan, diags := ex.PlanDestroy(ctx, p.resource.terraform(), out)
		if !p.say(diags) {
			continue
		}
		c := &Change{Change: p.view(plan), Resource: p.resource}
		c.Deposed = d.Key
		c.Held, c.Refused = p.resource.kept()
		p.changes = append(p.changes, c)
	}
	p.found.Deposed = left
}

// readDeposed reads a deposed object, unless objects are destroyed without being read.
func (p *planner) readDeposed(ctx context.Context, ex terraform.Executor, d instance.Deposed) (instance.Instance, bool) {
	if p.unread() {
		return p.upgrade(ctx, ex, d.Instance())
	}
	out, diags := ex.Refresh(ctx, p.resource.terraform(), d.Instance())
	return out.Instance, p.say(diags)
}

const protected = "spec.lifecycle.deletionProtection is true"

// kept returns why the object of a resource is not destroyed, and whether that is refused.
func (r *ManifestResource) kept() (why string, refused bool) {
	switch {
	case !r.Spec.Policies.Delete:
		return notAllowed("Delete"), false
	case r.Spec.Policies.Protected:
		return protected, true
	}
	return "", false
}

func notAllowed(action string) string {
	return "spec.managementPolicies does not allow " + action
}

// change plans the change of the current object; nil if that failed.
func (p *planner) change(ctx context.Context, ex terraform.Executor) *Change {
	r := p.resource
	c := &Change{Resource: r}
	if p.mode == Destroy {
		plan, diags := ex.PlanDestroy(ctx, r.terraform(), p.found)
		if !p.say(diags) {
			return nil
		}
		c.Change = p.view(plan)
		if plan.Action != terraform.NoOp {
			c.Held, c.Refused = r.kept()
		}
		return c
	}
	if r.Config == nil {
		c.Change = p.view(terraform.Plan{
			Resource: r.terraform(), Action: terraform.NoOp, Prior: p.found, State: p.found.State, Identity: p.found.Identity,
			SensitivePaths: p.found.SensitivePaths, CreateBeforeDestroy: p.found.CreateBeforeDestroy,
		})
		if !p.found.Exists() {
			c.Held = "there is no such object, and " + notAllowed("Create")
		}
		return c
	}
	config := *r.Config
	config.Validated = true
	if p.found.Exists() {
		config.Value = r.Spec.CreateToken.In(config.Value, p.found.State, "")
	}
	plan, diags := ex.Plan(ctx, r.terraform(), p.found, config)
	if !p.say(diags) {
		return nil
	}
	c.Change = p.view(plan)
	switch {
	case plan.Action == terraform.Create && !r.Spec.Policies.Create:
		c.Held = notAllowed("Create")
	case plan.Action == terraform.Update && !r.Spec.Policies.Update:
		c.Held = notAllowed("Update")
	case r.Spec.Policies.Protected && (plan.Action.IsReplace() || len(plan.Destroys()) > 0):
		c.Held, c.Refused = protected, true
	case plan.Action.IsReplace():
		switch {
		case plan.Reason == terraform.ReplaceBecauseTainted && !r.Spec.Policies.ReplaceTainted:
			c.Held, c.Refused = "spec.lifecycle.taintPolicy is Keep", true
		case r.Spec.ReplaceNever:
			c.Held, c.Refused = "spec.lifecycle.replacePolicy is Never", true
		case !r.Spec.Policies.Delete:
			c.Held = notAllowed("Delete")
		case !r.Spec.Policies.Create:
			c.Held = notAllowed("Create")
		}
	}
	return c
}
