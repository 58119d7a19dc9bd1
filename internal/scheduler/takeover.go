package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// An object moves from one resource to another in three writes. A process may end after each of
// them.
//
//	1  source   operation Move, with the target    nothing is done to the object any more
//	2  target   the instance, with the source      the target owns the object, and waits for the third write
//	3  source   no instance, MovedTo               it creates no other object
//
// After the first write, whoever comes first determines the outcome by the record of the target: if
// it has the instance, the third write follows (releaseMoved, handOver); if not, nothing has
// happened, and the source gets its object back.

func moveFailed(r Request, format string, args ...any) *Error {
	return decision.Failed(decision.ReasonMoveFailed,
		diagnostic.Errorf("Object not moved", "%s: "+format, append([]any{r.MoveFrom.At}, args...)...))
}

// leftUnfinished is the error for a resource that was removed, for instance by removing its
// finalizers, before its controller had finished what its record tells. It is not done unless there
// is a resource of its name again.
func leftUnfinished(r Request, what string) *Error {
	return moveFailed(r, "%s does not exist any more, and %s. Create it again, or remove this to have an "+
		"object created.", text(r.MoveFrom.Key), what)
}

// takeOver takes the object of another resource over. If there is no such resource, nothing
// happens.
func (s *Scheduler) takeOver(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	from := r.MoveFrom
	switch {
	case from.Invalid != nil:
		return decision.Failed(decision.ReasonMoveFailed, from.Invalid)
	case from.Key == r.Key:
		return moveFailed(r, "This is the resource itself. Name the one that has the object.")
	case !r.Policies.Manage:
		return moveFailed(r, "A resource that only observes takes nothing over. Change spec.managementPolicies.")
	case r.Import.Asked():
		return moveFailed(r, "The resource has spec.import, too. Give only one of the two.")
	}
	if err := r.allClaimed(); err != nil {
		return err
	}
	defer s.moves.lock(from.Key, r.Key)()
	src, err := s.o.Store.Load(ctx, from.Key, store.Verbatim)
	if errors.Is(err, store.ErrElsewhere) && !from.Exists {
		src, err = s.loadFreed(ctx, from.Key, store.Verbatim)
	}
	if errors.Is(err, store.ErrNotFound) && !from.Exists {
		return nil // as in Terraform, which creates an object then
	}
	if err := mayTake(r, &src, err); err != nil {
		return err
	}
	if src.Account.Relation(r.StoredAccount) == instance.OtherAccount {
		return decision.AccountChanged(src.Account, r.StoredAccount, r.Deleted, decision.NotLooked)
	}
	intent, err := json.Marshal(journal.HandOver{To: &r.Key, UID: r.UID})
	if err != nil {
		return err
	}
	op := src.Instance.Operation
	switch h := journal.HandOverOf(op); {
	case op == nil:
		op = &instance.Operation{
			ID: string(uuid.NewUUID()), Kind: instance.Move, Generation: r.Generation,
			StartedAt: s.o.Clock.Now().UTC(), Journal: intent,
		}
	case h == nil || *h.To != r.Key || h.UID != r.UID:
		if !from.Exists {
			return leftUnfinished(r, "an operation of it has not ended")
		}
		return moveFailed(r, "An operation of %s has not ended (%s). It is tried again.", text(from.Key), op.Kind)
	}
	moved, err := s.converted(ctx, r, ex, src)
	if err != nil {
		return err
	}
	s.claim(e, r, moved)
	if rival, ok := s.rival(ctx, e); ok && rival.Owner.Key != from.Key {
		return identityConflict(r, rival)
	}
	// From here on, the source determines the outcome if this does not.
	defer s.Lost(from.Key)
	if !s.o.Leads() {
		return &Error{Reason: decision.ReasonStore, Err: journal.ErrSuccessor}
	}
	src.Instance.Operation = op
	if _, err := s.o.Store.Save(ctx, from.Key, store.Verbatim, src); err != nil {
		return &Error{Reason: storeReason(err), Err: fmt.Errorf("%s cannot be locked: %w", text(from.Key), err)}
	}
	e.record.Account, e.record.History = src.Account, src.History
	e.record.Handled.MovedFrom, e.record.Handled.MoveOpen = journal.MoveID(op, from.Key), true
	if err := s.saveWith(ctx, e, r, moved, history.Entry{
		Action: history.TakeOver, Author: r.Asked.Author, Because: "spec, from " + text(from.Key),
	}); err != nil {
		return err
	}
	e.view.state = decision.Imported // what follows from it is shown before it is done
	s.tell(r, Event{Kind: TakenOver, Why: text(from.Key)})
	return nil
}

// mayTake returns why an object cannot be taken over from a source, which was loaded with an error.
func mayTake(r Request, src *store.Record, err error) error {
	from := r.MoveFrom
	switch {
	case errors.Is(err, store.ErrElsewhere) && !from.Exists:
		return leftUnfinished(r, "an operation of it has not ended")
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return &Error{Reason: decision.ReasonStore, Err: fmt.Errorf("the stored instance of %s cannot be loaded: %w", text(from.Key), err)}
	case src.Handled.MovedTo != "":
		return moveFailed(r, "The object of %s was moved to %s already.", text(from.Key), src.Handled.MovedTo)
	case from.Exists && src.Owner != "" && src.Owner != from.UID:
		return moveFailed(r, "What is stored of %s belongs to an earlier resource of the name. It is tried again.", text(from.Key))
	case !src.Instance.Exists():
		return moveFailed(r, "%s has no object. Remove this to have one created.", text(from.Key))
	case len(src.Instance.Deposed) > 0:
		if !from.Exists {
			return leftUnfinished(r, "objects that it has replaced are not destroyed")
		}
		return moveFailed(r, "%s has replaced objects that are not destroyed yet. It is tried again.", text(from.Key))
	}
	return nil
}

// converted returns the instance of the resource's type that another one becomes.
func (s *Scheduler) converted(ctx context.Context, r Request, ex terraform.Executor, src store.Record) (instance.Instance, error) {
	if r.MoveFrom.Same {
		return s.sameType(ctx, r, src)
	}
	in := src.Instance
	in.Operation, in.Wire = nil, nil
	mover, ok := ex.(terraform.Mover)
	if !ok {
		return in, moveFailed(r, "Objects are not moved between resource types with execution CLI, and not to modules.")
	}
	out, diags := mover.MoveResourceState(ctx, r.Type, terraform.MoveSource{
		ProviderAddress: r.MoveFrom.ProviderAddress,
		Schema: &schema.Resource{
			Type: r.MoveFrom.Type, Version: in.SchemaVersion, Block: store.Verbatim.Block,
		}, Instance: in,
	})
	if diags.HasErrors() {
		return in, decision.Failed(decision.ReasonMoveFailed, append(diags, diagnostic.Errorf("Object not moved",
			"%s: The provider does not turn the object of %s, of type %s, into one of type %s. Nothing was changed. "+
				"Correct or remove this.",
			r.MoveFrom.At, text(r.MoveFrom.Key), r.MoveFrom.Type, r.Type.Schema.Type)...))
	}
	if out.Status == instance.Empty {
		out.Status = instance.Full
	}
	out.SensitivePaths, out.IdentityHistory = nil, nil // of the other type
	out.Carry(instance.Instance{})
	return out, nil
}

// sameType returns the instance of the same type, maybe of another version of the provider, that is
// stored of another resource. The state is upgraded like any other that an earlier version has
// written.
func (s *Scheduler) sameType(ctx context.Context, r Request, src store.Record) (instance.Instance, error) {
	now, err := s.o.Store.Load(ctx, r.MoveFrom.Key, r.Type.Schema)
	in := now.Instance
	switch {
	case err != nil:
		return in, &Error{
			Reason: decision.ReasonStore,
			Err:    fmt.Errorf("the stored instance of %s cannot be loaded: %w", text(r.MoveFrom.Key), err),
		}
	case now.Version != src.Version:
		return in, moveFailed(r, "%s was just changed. It is tried again.", text(r.MoveFrom.Key))
	case in.SchemaVersion > r.Type.Schema.Version:
		return in, moveFailed(r, "The state of %s was written by a newer version of the provider (schema version "+
			"%d, here %d). Install at least that version.",
			text(r.MoveFrom.Key), in.SchemaVersion, r.Type.Schema.Version)
	}
	in.Operation, in.Wire = nil, nil
	return in, nil
}

// releaseMoved makes the resource whose object this one has taken over release it.
func (s *Scheduler) releaseMoved(ctx context.Context, e *entry, r Request) error {
	id, from := journal.ParseMove(e.record.Handled.MovedFrom)
	defer s.moves.lock(from, r.Key)()
	src, err := s.o.Store.Load(ctx, from, store.Verbatim)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case errors.Is(err, store.ErrElsewhere) && src.Handled.MovedTo == text(r.Key): // another shard has determined the outcome
	case err != nil:
		return &Error{Reason: decision.ReasonStore, Err: fmt.Errorf("the stored instance of %s cannot be loaded: %w", text(from), err)}
	case src.Instance.Operation != nil && src.Instance.Operation.ID == id:
		defer s.Lost(from)
		if err := s.saveReleased(ctx, from, store.Verbatim, src, r.Key); err != nil {
			return err
		}
	}
	s.wake(s.owners.Release(from))
	e.record.Handled.MoveOpen = false
	return s.save(ctx, e, r, e.record.Instance)
}

// saveReleased stores that a resource has no object any more, because another one has it.
func (s *Scheduler) saveReleased(ctx context.Context, k store.Key, as *schema.Resource, rec store.Record, to store.Key) error {
	if !s.o.Leads() {
		return &Error{Reason: decision.ReasonStore, Err: journal.ErrSuccessor}
	}
	rec.Instance, rec.Former, rec.Handled.MovedTo = instance.Instance{}, nil, text(to)
	if _, err := s.o.Store.Save(ctx, k, as, rec); err != nil {
		return &Error{Reason: storeReason(err), Err: fmt.Errorf("it cannot be stored that %s has let its object go: %w", text(k), err)}
	}
	return nil
}

// handOver determines whether the object of this resource was moved to another one.
func (s *Scheduler) handOver(ctx context.Context, e *entry, r Request) error {
	op := e.record.Instance.Operation
	h := journal.HandOverOf(op)
	defer s.moves.lock(r.Key, *h.To)()
	taken, err := s.taken(ctx, h, op)
	if err != nil {
		return &Error{
			Reason: decision.ReasonStore,
			Err: fmt.Errorf("the stored instance of %s, to which the object is moved, cannot be loaded: %w",
				text(*h.To), err),
		}
	}
	in := e.record.Instance
	in.Operation = nil
	if taken {
		in = instance.Instance{State: cty.NilVal}
		e.record.Handled.MovedTo = text(*h.To)
	}
	return s.save(ctx, e, r, in)
}

// taken reports whether the target of a Move has the object. If not, it does not get it by a late
// write.
func (s *Scheduler) taken(ctx context.Context, h *journal.HandOver, op *instance.Operation) (bool, error) {
	target, err := s.o.Store.Load(ctx, *h.To, store.Verbatim)
	later := func() bool { return errors.Is(err, store.ErrElsewhere) && target.Owner != h.UID }
	if later() {
		// Another resource of the name, of another shard. What its record was before may be what
		// the target is going to write over.
		if err := s.fenceRecord(ctx, *h.To); err != nil {
			return false, err
		}
		if target, err = s.o.Store.Load(ctx, *h.To, store.Verbatim); later() {
			return false, nil
		}
	}
	id, _ := journal.ParseMove(target.Handled.MovedFrom)
	has := target.Owner == h.UID && id == op.ID
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case errors.Is(err, store.ErrElsewhere) && has:
		return true, nil
	}
	return has, err
}

// movedTo is the error of a resource whose object another one has taken over.
func movedTo(to string) *Error {
	return decision.Failed(decision.ReasonMoved,
		diagnostic.Errorf("Object moved", "Delete this resource: its object belongs to %s now, and stays.", to))
}

// text names a resource in a message.
func text(k store.Key) string { return fmt.Sprintf("%s %s", k.Kind, k.Name) }
