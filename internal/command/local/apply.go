package local

import (
	"context"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Status is what became of a change.
type Status string

// What may become of a change.
const (
	Applied   Status = "applied"
	Unchanged Status = "unchanged"
	Failed    Status = "failed"
	// Held: the manifest forbids it.
	Held Status = "held"
	// Skipped: its turn did not come.
	Skipped Status = "skipped"
)

// Result is what became of a change.
type Result struct {
	Change *Change
	Status Status
}

// Event is a step on the way.
type Event struct {
	Address string
	// Deposed is the key of the deposed object it is about.
	Deposed string
	Action  terraform.Action // Create, Update or Delete
	// Elapsed is the time since the step began; 0 when it begins.
	Elapsed time.Duration
	Done    bool
	Failed  bool
	// ID is what the object is called at the provider, where that is known.
	ID string
}

// Hooks of Apply. They are called one at a time.
type Hooks struct {
	// Step tells of steps: when they begin, now and then while they last, and when they end.
	Step func(Event)
	// Stopping tells that the end of the running step is waited for, after an interruption.
	Stopping func()
	// Abandon, when it ends, ends the wait for a step's answer after an interruption: what it
	// has made is then not known.
	Abandon context.Context
}

// stillAfter is how often a step that lasts is told of.
const stillAfter = 10 * time.Second

// stopAgainAfter is how often a provider is asked to stop: a call that reaches it after it was
// asked does not know of it.
const stopAgainAfter = time.Second

// Apply carries out a plan, one change after the other. What is known after each is stored
// before it is told. A change that fails keeps none of the others from being carried out, but for the
// destruction of what earlier replacements of the same object have left behind. When
// ctx ends the running step is asked to come to an end and waited for, and no other begins.
func (s *Session) Apply(ctx context.Context, plan *Plan, hooks Hooks) ([]Result, Messages) {
	results := make([]Result, len(plan.Changes))
	for i, c := range plan.Changes {
		results[i] = Result{Change: c, Status: Skipped}
	}
	if ctx.Err() != nil {
		return results, Messages{errorf("", "Interrupted", "Nothing was done.")}
	}
	if err := s.State.Put(plan.found); err != nil {
		return results, Messages{stateFailed(err)}
	}
	if plan.Mode == RefreshOnly {
		return results, nil
	}
	abandon := hooks.Abandon
	if abandon == nil {
		abandon = context.Background()
	}
	var messages Messages
	failed := map[*ManifestResource]bool{}
	for i, c := range plan.Changes {
		a := applier{Session: s, change: c, hooks: hooks, ctx: ctx, abandon: abandon}
		switch {
		case ctx.Err() != nil, c.Deposed != "" && failed[c.Resource] && plan.Mode == Normal:
			continue
		case c.Refused:
			results[i].Status = Held
			messages = append(messages, s.refused(c)...)
			continue
		case c.Held != "":
			results[i].Status = Held
			continue
		case c.Plan.Action == terraform.NoOp:
			results[i].Status = Unchanged
		default:
			results[i].Status = Applied
		}
		a.apply()
		if a.messages.HasErrors() {
			results[i].Status, failed[c.Resource] = Failed, true
		}
		messages = append(messages, a.messages...)
		if a.stateLost {
			break
		}
	}
	if ctx.Err() != nil {
		messages = append(messages, errorf("", "Interrupted", "Not all changes were carried out. What was done is in the state."))
	}
	return results, conceal(s.Manifest.secrets, messages)
}

func stateFailed(err error) Message {
	return errorf("", "State could not be written", "%s.", err)
}

func (s *Session) refused(c *Change) Messages {
	const summary, detail = "Replacement refused", "This would destroy the remote object and create it anew, but %s. Allow it, or take the change back."
	var diags diagnostic.Diagnostics
	for _, p := range c.Plan.RequiresReplace {
		diags = append(diags, diagnostic.AttributeErrorf(p, summary, detail, c.Held)...)
	}
	if diags == nil {
		diags = diagnostic.Errorf(summary, "The remote object is tainted: its creation did not end well. It would have to be destroyed and created anew, but %s. Allow it, or untaint the resource.", c.Held)
	}
	return s.say(c.Resource, diags)
}

// applier carries out one change.
type applier struct {
	*Session
	change   *Change
	hooks    Hooks
	ctx      context.Context // ends with an interruption
	abandon  context.Context
	messages Messages
	// stateLost: the state could not be written, so that nothing more is to be begun.
	stateLost bool
}

func (a *applier) resource() *ManifestResource { return a.change.Resource }

func (a *applier) say(diags diagnostic.Diagnostics) {
	a.messages = append(a.messages, a.Session.say(a.resource(), diags)...)
}

// store writes what is known now.
func (a *applier) store(in instance.Instance) bool {
	if err := a.State.Put(map[*ManifestResource]instance.Instance{a.resource(): in}); err != nil {
		a.messages = append(a.messages, stateFailed(err))
		a.stateLost = true
	}
	return !a.stateLost
}

func (a *applier) current() instance.Instance {
	in, _ := a.State.Instance(a.resource()) // Plan has seen that it can be had
	return in
}

func (a *applier) apply() {
	ex, release, messages := a.acquire(a.ctx, a.resource())
	a.messages = append(a.messages, messages...)
	if messages.HasErrors() {
		return
	}
	defer release()
	p := a.change.Plan
	switch {
	case a.change.Deposed != "":
		a.destroyDeposed(ex, a.change.Deposed)
	case p.Action == terraform.DeleteThenCreate:
		a.deleteThenCreate(ex)
	case p.Action == terraform.CreateThenDelete:
		a.createThenDelete(ex)
	default:
		p.Prior.Deposed = a.current().Deposed
		a.step(ex, p)
	}
}

// step carries out a Create, Update or Delete of the current object, and stores what is known
// then. It says whether all went well.
func (a *applier) step(ex terraform.Executor, p terraform.Plan) (instance.Instance, bool) {
	out, diags := a.call(ex, p, "")
	stored := a.store(out)
	a.say(diags)
	return out, stored && !diags.HasErrors()
}

// call asks for an apply, and waits for the answer.
func (a *applier) call(ex terraform.Executor, p terraform.Plan, deposed string) (instance.Instance, diagnostic.Diagnostics) {
	if p.Action == terraform.NoOp {
		return ex.Apply(a.abandon, p)
	}
	event := Event{Address: a.resource().Address(), Deposed: deposed, Action: p.Action}
	event.ID = translate.ExternalName(a.resource().Model, p.Prior.State, p.Prior.Identity)
	tell := func(e Event) {
		if a.hooks.Step != nil {
			a.hooks.Step(e)
		}
	}
	tell(event)
	begin := time.Now()
	type answer struct {
		out   instance.Instance
		diags diagnostic.Diagnostics
	}
	answers := make(chan answer, 1)
	go func() {
		out, diags := ex.Apply(a.abandon, p)
		answers <- answer{out, diags}
	}()
	tick := time.NewTicker(stillAfter)
	defer tick.Stop()
	done := a.ctx.Done()
	var again <-chan time.Time
	for {
		select {
		case x := <-answers:
			event.Done, event.Failed, event.Elapsed = true, x.diags.HasErrors(), time.Since(begin)
			if x.out.Exists() {
				event.ID = translate.ExternalName(a.resource().Model, x.out.State, x.out.Identity)
			}
			tell(event)
			return x.out, x.diags
		case <-tick.C:
			event.Elapsed = time.Since(begin)
			tell(event)
		case <-done:
			done = nil
			if a.hooks.Stopping != nil {
				a.hooks.Stopping()
			}
			go a.stop(a.abandon)
			stopping := time.NewTicker(stopAgainAfter)
			defer stopping.Stop()
			again = stopping.C
		case <-again:
			go a.stop(a.abandon)
		}
	}
}

func (a *applier) planDestroy(ex terraform.Executor, in instance.Instance) (terraform.Plan, bool) {
	p, diags := ex.PlanDestroy(a.ctx, a.resource().terraform(), in)
	a.say(diags)
	return p, !diags.HasErrors()
}

// planCreate plans the new object of a replacement, which has to be the one that was shown.
func (a *applier) planCreate(ex terraform.Executor, in instance.Instance) (terraform.Plan, bool) {
	r := a.resource()
	if a.ctx.Err() != nil {
		m := errorf(r.Source, "Interrupted", "The new object was not created: apply again to create it.")
		m.Address = r.Address()
		a.messages = append(a.messages, m)
		return terraform.Plan{}, false
	}
	config := *r.Config
	config.Validated = true
	p, diags := ex.Plan(a.ctx, r.terraform(), in, config)
	if !diags.HasErrors() {
		for _, err := range objchange.AssertObjectCompatible(r.Model.Schema.Block, a.change.Plan.State, p.State) {
			path := cty.Path(nil)
			if e, ok := err.(cty.PathError); ok {
				path = e.Path
			}
			diags = append(diags, diagnostic.AttributeErrorf(path, "Provider produced inconsistent final plan", "The new object is not planned as it was shown. This is a bug in the provider. Plan again.")...)
		}
	}
	a.say(diags)
	return p, !diags.HasErrors()
}

func (a *applier) deleteThenCreate(ex terraform.Executor) {
	p, ok := a.planDestroy(ex, a.current())
	if !ok {
		return
	}
	out, ok := a.step(ex, p)
	if !ok {
		return
	}
	if p, ok = a.planCreate(ex, out); ok {
		a.step(ex, p)
	}
}

// createThenDelete keeps the old object as a deposed one until the new one is there.
func (a *applier) createThenDelete(ex terraform.Executor) {
	old := a.current()
	key := old.NewDeposedKey()
	base := old.SetAside(key)
	p, ok := a.planCreate(ex, base)
	if !ok || !a.store(base) {
		return
	}
	out, diags := a.call(ex, p, "")
	if !out.Exists() {
		out = old // nothing has taken its place
	}
	stored := a.store(out)
	a.say(diags)
	if stored && !diags.HasErrors() && a.ctx.Err() == nil {
		a.destroyDeposed(ex, key)
	}
}

// destroyDeposed destroys a deposed object; what is left of it stays deposed.
func (a *applier) destroyDeposed(ex terraform.Executor, key string) {
	in := a.current()
	i := in.DeposedIndex(key)
	if i < 0 {
		return
	}
	p, ok := a.planDestroy(ex, in.Deposed[i].Instance())
	if !ok {
		return
	}
	left, diags := a.call(ex, p, key)
	a.store(in.WithDeposed(key, left))
	a.say(diags)
}

// Done counts what was carried out.
func Done(results []Result) planview.Counts {
	var changes []planview.Change
	for _, r := range results {
		if r.Status == Applied || r.Status == Unchanged {
			changes = append(changes, r.Change.Change)
		}
	}
	return planview.Count(changes)
}

// Summary is the line after an apply.
func Summary(n planview.Counts) string {
	imports := ""
	if n.Import > 0 {
		imports = fmt.Sprintf("%d imported, ", n.Import)
	}
	return fmt.Sprintf("Resources: %s%d added, %d changed, %d destroyed.", imports, n.Add, n.Change, n.Destroy)
}
