package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// task is the input of an operation.
type task struct {
	kind instance.OperationKind
	// plan of a Create or Update. Deletes, and creates that depose the current object, are planned
	// when they begin.
	plan *terraform.Plan
	// deposed is the key of the deposed object to destroy, or the one that the current object gets
	// when it is deposed by a Create.
	deposed string
	// replacement is set when the operation is one half of a replacement.
	replacement bool
	// drift is what the operation repairs; nil if there is none. keepsDrift is set when the drift
	// stays.
	drift      *instance.Drift
	keepsDrift bool
	// reapply is the token of the request to set arguments again that the operation carries out;
	// empty if there is none.
	reapply string
	// counts is what the record counts when the operation on the current object has succeeded; nil
	// for nothing.
	counts *instance.Unsettled
	// config identifies the configuration, and the provider's release.
	config string
	// changed are the addresses of the objects of a module that an apply has changed, though others
	// have failed, and left is what it has left of all.
	changed []string
	left    map[string]map[string]string
	// approval is the one that the operation uses; nil if it needs none.
	approval *approval
	// decided is the plan that policies have decided about; nil if they need not decide.
	decided *terraform.Plan
	// notFound notes that the deposed object was not found, and returns what that means.
	notFound func(instance.Instance) meaning
	// destroyed is the object that was destroyed before the operation; nil if there is none.
	destroyed *destroyed
	// braked is set if the operation destroys something, and was reserved.
	braked bool
	// unseen is set for a Delete of an object that no read has found since its create.
	unseen bool
	// process is the operation's name at fault points.
	process faultpoint.Process
	// progress has the provider's messages about the operation.
	progress *journal.Progress
	// interruption ends the operation early.
	interruption *journal.Interruption
}

// because returns by whose wish the operation is carried out.
func (t *task) because(r Request) string {
	out := cmp.Or(t.otherWish(r), fmt.Sprintf("spec, generation %d", r.Generation))
	if a := t.approval; a != nil && a.by != "" {
		out += ", approved by " + a.by
	}
	return out
}

// otherWish returns by whose wish the operation is carried out; empty if by that of the spec.
func (t *task) otherWish(r Request) string {
	switch {
	case t.deposed != "" && t.kind == instance.Delete:
		return "its replacement exists"
	case t.plan != nil && t.plan.Reason == terraform.ReplaceBecauseTainted:
		return "the object is tainted"
	case r.Deleted:
		return "the resource is deleted"
	case t.reapply != "":
		return "reapply was requested"
	case t.drift != nil && !t.keepsDrift:
		return "the object was changed outside of the resource"
	}
	return ""
}

// processOf returns the name of an operation at fault points. again is set when an object was
// destroyed for it.
func processOf(t task, again bool) faultpoint.Process {
	switch {
	case t.kind == instance.Update:
		return faultpoint.Update
	case t.kind == instance.Create && t.deposed != "":
		return faultpoint.CreateFirst
	case t.kind == instance.Create && again:
		return faultpoint.Recreate
	case t.kind == instance.Create:
		return faultpoint.Create
	case t.deposed != "":
		return faultpoint.DestroyDeposed
	case t.replacement:
		return faultpoint.Destroy
	default:
		return faultpoint.Delete
	}
}

// completes reports whether nothing is left to do after the operation, if it ends with the
// diagnostics.
func (t *task) completes(diags diagnostic.Diagnostics) bool {
	return !diags.HasErrors() && !t.replacement
}

// start begins an operation in the background.
func (s *Scheduler) start(e *entry, r Request, t task) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return &Error{
			Reason: decision.ReasonProviderUnavailable,
			Err:    errors.New("the controller is stopping; the operation is left to its successor"),
		}
	}
	if !s.places.begin(e.place) {
		return &Error{Reason: decision.ReasonStore, Err: errors.New("the resource changed since it was observed")}
	}
	if rival, ok := e.claimant.Begin(); !ok {
		s.places.end(e.place)
		return identityConflict(r, rival)
	}
	op := &instance.Operation{
		ID: string(uuid.NewUUID()), Kind: t.kind, Deposed: t.deposed, Generation: r.Generation, StartedAt: s.o.Clock.Now(),
	}
	t.destroyed = e.destroyed
	t.process = processOf(t, e.ended == faultpoint.Destroy)
	t.progress, t.interruption = &journal.Progress{}, journal.NewInterruption()
	e.begun = op.ID
	e.interruption = t.interruption
	e.endHold()
	e.show(op, t.progress)
	o := operation{
		Scheduler: s, e: e, r: r, t: t, op: op, rec: e.record, unresolved: e.record.Instance.Operation,
		limit: s.limits.use(r.ProviderConfiguration),
	}
	s.count.Add(1)
	s.running.Go(func() {
		because := t.because(r)
		long := s.o.Clock.AfterFunc(s.o.LongOperation, func() {
			s.o.Logger.Info(string(op.Kind)+" is running", "object", r.Key.Kind+"."+r.Key.Group, "namespace", r.Key.Namespace, "name", r.Key.Name,
				"type", r.Type.Schema.Type, "operation", op.ID, "began", op.StartedAt.UTC().Format(time.RFC3339Nano), "because", because)
			s.o.Wake(r.Key)
		})
		defer long.Stop()
		defer t.interruption.End()
		ctx, span := tracing.Child(tracing.With(context.Background(), r.origin), string(op.Kind))
		o.r.origin = tracing.OriginOf(ctx)
		res := o.run()
		span.End(res.diags.HasErrors())
		s.end(e, o.r, o.t, res)
	})
	return nil
}

// show makes an operation the view.
func (e *entry) show(op *instance.Operation, p *journal.Progress) {
	e.view = view{
		state: decision.Running,
		observation: &Observation{
			Instance: e.record.Instance, Operation: op, Last: e.last, Drift: e.drifts.found,
		}, progress: p,
	}
}

// result is the outcome of an operation.
type result struct {
	op *instance.Operation
	// record is the stored record; nil if it is unknown.
	record *store.Record
	diags  diagnostic.Diagnostics
	// undispatched is set when the provider was never called, even if the intent is stored.
	undispatched bool
	// unresolved is the interrupted create that the operation began after; nil if there was none.
	unresolved *instance.Operation
	// planned is the identity of the object to create, if it was known. met is an object that
	// already existed.
	planned      cty.Value
	plannedState cty.Value
	met          instance.Instance
	// handle is the one that met was found by.
	handle ownership.Handle
	// changed and left are those of the task.
	changed []string
	left    map[string]map[string]string
	// reason of a failure. Defaults to ReasonOperationFailed.
	reason Reason
}

// left reports whether the resource of an entry is known to be gone. Nothing is created for it any
// more: nothing would destroy the object.
func (s *Scheduler) left(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.presence == leaving
}

// fence is called right before each change is requested of a provider. Between the intent and this
// moment, a program may have started and planned, or this process may have been suspended.
func (s *Scheduler) fence() error {
	if !s.o.Leads() {
		return journal.ErrSuccessor
	}
	return nil
}

// timeout returns the timeout of an operation.
func (s *Scheduler) timeout(r *Request, kind instance.OperationKind, state cty.Value, private []byte) time.Duration {
	t := journal.Timeouts{Own: r.Timeouts, Default: r.DefaultTimeouts, Otherwise: s.o.OperationTimeout}
	return t.Of(kind, state, private)
}
