package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Status is the outcome of a change.
type Status string

// Outcomes of changes.
const (
	Applied   Status = "applied"
	Unchanged Status = "unchanged"
	Failed    Status = "failed"
	// Held: the manifest does not allow it.
	Held Status = "held"
	// Skipped: it was not started.
	Skipped Status = "skipped"
)

// Result is a change and its outcome.
type Result struct {
	Change *Change
	Status Status
}

// Event reports a step of a change.
type Event struct {
	Address string
	// Deposed is the key of the deposed object; empty for the current object.
	Deposed string
	Action  terraform.Action // Create, Update or Delete
	// Elapsed is the time since the step began; 0 when it begins.
	Elapsed time.Duration
	Done    bool
	Failed  bool
	// ID is the external name of the object; empty if it is not known.
	ID string
}

// Hooks of Apply. They are called one at a time.
type Hooks struct {
	// Step is called when a step begins, periodically while it runs, and when it ends.
	Step func(Event)
	// Stopping is called after an interruption, when Apply waits for the running step.
	Stopping func()
	// Abandon ends the wait for the running step. The outcome of the step is then unknown.
	Abandon context.Context
}

// stillAfter is the interval of events of a running step.
const stillAfter = 10 * time.Second

// stopAgainAfter is the interval at which a provider is asked to stop. A call that begins after a
// request to stop is not affected by it.
const stopAgainAfter = time.Second

// Apply carries out a plan, one change after the other. The result of each is stored before it is
// reported. A failed change does not prevent others, except the destruction of deposed objects of
// the same resource. When ctx ends, the provider is asked to stop the running step, Apply waits for
// it, and no other step begins.
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
	learns := slices.ContainsFunc(plan.Changes, func(c *Change) bool { return c.Resource.awaits() })
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
		if learns {
			s.learn(c.Resource)
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
	const summary, detail = "Replacement refused", "This would destroy and recreate the remote object, but %s. Allow it, or revert the change."
	var diags diagnostic.Diagnostics
	for _, p := range c.Plan.RequiresReplace {
		diags = append(diags, diagnostic.AttributeErrorf(p, summary, detail, c.Held)...)
	}
	if diags == nil {
		diags = diagnostic.Errorf(summary, "The remote object is tainted, because its creation failed or was "+
			"interrupted. It would be destroyed and recreated, but %s. Allow it, or untaint the resource.", c.Held)
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
	// stateLost is set when the state could not be written. Then no other step may begin.
	stateLost bool
}

func (a *applier) resource() *ManifestResource { return a.change.Resource }

func (a *applier) say(diags diagnostic.Diagnostics) {
	a.messages = append(a.messages, a.Session.say(a.resource(), diags)...)
}

// store writes the instance to the state. It reports whether that succeeded.
func (a *applier) store(in instance.Instance) bool {
	if err := a.State.Put(map[*ManifestResource]instance.Instance{a.resource(): in}); err != nil {
		a.messages = append(a.messages, stateFailed(err))
		a.stateLost = true
	}
	return !a.stateLost
}

func (a *applier) current() instance.Instance {
	in, _ := a.State.Instance(a.resource()) // Plan has checked the error
	return in
}

func (a *applier) apply() {
	ex, release, messages := a.acquire(a.ctx, a.resource())
	a.messages = append(a.messages, messages...)
	if messages.HasErrors() {
		return
	}
	defer release()
	p, ok := a.final(ex)
	if !ok {
		return
	}
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

// final returns the plan of a change. If the shown one has unknown values that others have now, it
// is planned again.
func (a *applier) final(ex terraform.Executor) (terraform.Plan, bool) {
	r, shown := a.resource(), a.change.Plan
	if a.change.Deposed != "" || !r.awaits() {
		return shown, true
	}
	wrong := a.readAwaited(a.ctx)
	if !wrong.HasErrors() {
		wrong = append(wrong, a.resolve(a.ctx, r, false)...)
	}
	if a.messages = append(a.messages, wrong...); wrong.HasErrors() {
		return shown, false
	}
	if shown.Action.IsReplace() {
		return shown, true // its create is planned again
	}
	p, ok := a.planAgain(ex, a.current())
	if ok && p.Action != shown.Action && p.Action != terraform.NoOp {
		a.say(
			diagnostic.Errorf("Provider produced inconsistent final plan", "The plan was %s, and is %s now that the "+
				"values of all references are known. Plan again.", shown.Action, p.Action),
		)
		ok = false
	}
	return p, ok
}

// step carries out a Create, Update or Delete of the current object, and stores the result. It
// reports whether both succeeded.
func (a *applier) step(ex terraform.Executor, p terraform.Plan) (instance.Instance, bool) {
	out, diags := a.call(ex, p, "")
	stored := a.store(out)
	a.say(diags)
	return out, stored && !diags.HasErrors()
}

// call applies a plan and waits for the answer.
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

// planCreate plans the new object of a replacement. It must match the plan that was shown.
func (a *applier) planCreate(ex terraform.Executor, in instance.Instance) (terraform.Plan, bool) {
	r := a.resource()
	if a.ctx.Err() != nil {
		m := errorf(r.Source, "Interrupted", "The new object was not created: apply again to create it.")
		m.Address = r.Address()
		a.messages = append(a.messages, m)
		return terraform.Plan{}, false
	}
	return a.planAgain(ex, in)
}

// planAgain plans the configuration. The result must fit the plan that was shown.
func (a *applier) planAgain(ex terraform.Executor, in instance.Instance) (terraform.Plan, bool) {
	r := a.resource()
	config := *r.Config
	config.Validated = len(r.references) == 0 // not with all values
	if in.Exists() {
		config.Value = r.Spec.CreateToken.In(config.Value, in.State, "")
	}
	p, diags := ex.Plan(a.ctx, r.terraform(), in, config)
	if !diags.HasErrors() {
		for _, err := range objchange.AssertObjectCompatible(r.Model.Schema.Block, a.change.Plan.State, p.State) {
			path := cty.Path(nil)
			if e := (cty.PathError{}); errors.As(err, &e) {
				path = e.Path
			}
			diags = append(diags, diagnostic.AttributeErrorf(path, "Provider produced inconsistent final plan",
				"The new object is not planned as it was shown. This is a bug in the provider. Plan again.")...)
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

// createThenDelete keeps the old object as a deposed one until the new one exists.
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
		out = old // it was not replaced
	}
	stored := a.store(out)
	a.say(diags)
	if stored && !diags.HasErrors() && a.ctx.Err() == nil {
		a.destroyDeposed(ex, key)
	}
}

// destroyDeposed destroys a deposed object. If that fails, it stays deposed.
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

// Done counts the changes that were carried out.
func Done(results []Result) planview.Counts {
	var changes []planview.Change
	for _, r := range results {
		if r.Status == Applied || r.Status == Unchanged {
			changes = append(changes, r.Change.Change)
		}
	}
	return planview.Count(changes)
}

// Summary returns the line after an apply.
func Summary(n planview.Counts) string {
	imports := ""
	if n.Import > 0 {
		imports = fmt.Sprintf("%d imported, ", n.Import)
	}
	return fmt.Sprintf("Resources: %s%d added, %d changed, %d destroyed.", imports, n.Add, n.Change, n.Destroy)
}
