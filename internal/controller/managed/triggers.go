package managed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// lookForAction is the interval of looks at an action that a resource waits for. Its controller
// wakes the resource earlier, unless it is in another process.
const lookForAction = 30 * time.Second

// before returns the function that has the actions invoked that precede operations; nil if there
// are none. Each step is stored before the next, so it takes a reconcile of its own.
func (e *external) before(r *CustomResource) func(context.Context, terraform.Action, func() error) (string, error) {
	if len(e.triggers) == 0 {
		return nil
	}
	return func(ctx context.Context, plan terraform.Action, brake func() error) (string, error) {
		change, round := trigger.ChangeOf(plan), trigger.RoundOf(r.read)
		if !round.Continues(change, e.progress(round)) {
			return "", e.beginRound(ctx, r, round, begins{change, brake})
		}
		i := round.Next(trigger.Before, e.triggers)
		if i < 0 {
			return round.ID, nil
		}
		return "", e.step(ctx, r, round, i)
	}
}

// progress returns what is recorded of the operations of a round, which may be nil.
func (e *external) progress(round *trigger.Round) (out trigger.Progress) {
	if round == nil {
		return out
	}
	known, _ := e.kind.Scheduler.Remembered(e.request)
	out.Began = known.Handled.Round == round.ID
	out.Ended = out.Began && known.Handled.RoundEnded
	return out
}

// begins is a change that begins, and what returns an error if the brake holds it.
type begins struct {
	change trigger.Change
	brake  func() error
}

// beginRound has the round of a change stored, if there is anything to invoke, in the place of an
// earlier one. What the brake holds has no actions invoked.
func (e *external) beginRound(ctx context.Context, r *CustomResource, before *trigger.Round, b begins) error {
	of := e.changed(r)
	of.Old = r.object("status", "atProvider")
	if b.change == trigger.Create {
		of.Old = nil
	}
	round, err := trigger.Begin(ctx, e.triggers, b.change, of, string(uuid.NewUUID()), before)
	if err != nil {
		return invalidTrigger(err)
	}
	if round == nil {
		return nil
	}
	if err := b.brake(); err != nil {
		return err
	}
	for _, x := range before.Leftover() {
		if err := e.removeAction(ctx, r, &x); err != nil {
			return err
		}
	}
	r.setRound(round)
	return e.awaits(round, 0, time.Now())
}

// changed returns the resource as triggers see it.
func (e *external) changed(r *CustomResource) trigger.Resource {
	return trigger.Resource{UID: r.GetUID(), Name: r.GetName(), Generation: r.GetGeneration(), Self: r.Object}
}

// step goes on with an invocation, and returns why the resource does not go on.
func (e *external) step(ctx context.Context, r *CustomResource, round *trigger.Round, i int) error {
	known := round.Invocations[i]
	if err := e.advance(ctx, r, round, i); err != nil {
		return err
	}
	r.setRound(round)
	x := &round.Invocations[i]
	switch round.Outcome(i, e.triggers, e.taintLimit()) {
	case trigger.Halts:
		return &scheduler.Error{Reason: decision.ReasonActionFailed, Err: fmt.Errorf(
			"Delete the action %s %s to have it invoked again, or change spec.actions[%s].onFailure: it ended as %s (%s). %s",
			x.Action, x.Name, x.Trigger, x.Phase, x.Event, x.Message)}
	case trigger.Taints:
		return errTaints
	}
	at := time.Now()
	if *x == known {
		at = at.Add(lookForAction)
	}
	return e.awaits(round, i, at)
}

// errTaints is returned for a failure that has the object replaced.
var errTaints = errors.New("the object is tainted")

// taintLimit is how many rounds in a row may taint the object.
func (e *external) taintLimit() int64 { return e.spec.CreateAttempts }

// awaits returns the error that an invocation has not ended, and when to look again.
func (e *external) awaits(round *trigger.Round, i int, at time.Time) error {
	x := &round.Invocations[i]
	state := ""
	if x.Phase != "" {
		state = ", which is " + string(x.Phase)
	}
	text := strings.TrimSpace(fmt.Sprintf("Waiting for the action %s %s (%s)%s. %s", x.Action, x.Name, x.Event, state, x.Message))
	return &scheduler.Error{Reason: decision.ReasonAwaitingAction, LookAt: at, Err: errors.New(text)}
}

// after has the actions invoked that follow the operations of a change, and returns why the
// resource is not ready.
func (e *external) after(ctx context.Context, r *CustomResource, o *scheduler.Observation) error {
	round := trigger.RoundOf(r.read)
	if round == nil || o.Operation != nil || meta.WasDeleted(r) && round.Change != trigger.Destroy {
		return nil // a deletion does not wait for what follows an earlier change
	}
	settled := o.UpToDate() || meta.WasDeleted(r) && !o.Exists()
	switch round.Stage = round.StageIn(trigger.Situation{Progress: e.progress(round), Settled: settled}); round.Stage {
	case trigger.Complete:
		r.setRound(round)
		return nil
	case trigger.Before:
		return nil
	}
	i := round.Next(trigger.After, e.triggers)
	if i < 0 {
		round.Stage = trigger.Complete
		r.setRound(round)
		return nil
	}
	err := e.step(ctx, r, round, i)
	if errors.Is(err, errTaints) {
		err = e.taint(ctx, r, round)
		r.lookAgain(err)
		return err
	}
	if t := trigger.Find(e.triggers, round.Invocations[i].Trigger); !meta.WasDeleted(r) && t != nil && t.OnFailure != trigger.Continue {
		r.setActed(err)
	}
	r.lookAgain(err)
	return err
}

// taint requests, as a user would, that the object is replaced.
func (e *external) taint(ctx context.Context, r *CustomResource, round *trigger.Round) error {
	meta.AddAnnotations(r, map[string]string{v1alpha1.AnnotationTaint: round.ID})
	if err := e.client.update(ctx, r); err != nil {
		return err
	}
	round.Stage, round.Tainted = trigger.Complete, true
	r.setRound(round)
	r.lookAt = time.Now()
	return nil
}

// setRound sets the round in the status.
func (r *CustomResource) setRound(round *trigger.Round) { r.set(round.Status(), "status", "actions") }

// setActed sets the condition Ready of a resource that is not ready because of an action.
func (r *CustomResource) setActed(err error) {
	c := xpv2.Unavailable().WithMessage(Shorten(err.Error())).WithObservedGeneration(r.GetGeneration())
	if reason, ok := reasons[reasonOf(err)]; ok {
		c.Reason = reason
	}
	r.SetConditions(c)
}

// lookAgain has a resource looked at when an error tells.
func (r *CustomResource) lookAgain(err error) {
	var se *scheduler.Error
	switch {
	case errors.As(err, &se):
		r.lookAt = se.LookAt
	case err != nil:
		r.lookAt = time.Now().Add(time.Second)
	}
}
