package action

import (
	"context"
	"fmt"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// end is how an attempt has ended.
type end struct {
	outcome terraform.ActionOutcome
	diags   diagnostic.Diagnostics
	told    []message
}

// invoke carries out an attempt whose record is stored, and records how it has ended.
func (r *Reconciler) invoke(ctx context.Context, of *run, o *object, p *planned, record invocation.Record) {
	k := r.kind
	out := end{outcome: terraform.ActionNotInvoked}
	ex, release, diags := p.handle.Acquire(ctx)
	if out.diags = diags; diags.HasErrors() {
		release = func() {}
	} else if provider.Interrupted(ctx).Err() == nil {
		invoker, _ := ex.(terraform.ActionInvoker) // as when it was planned
		out.outcome, out.diags = invoker.InvokeAction(ctx, k.Model.Type, p.config, func(text string) {
			of.tell(k.now(), o.oneLine(text))
			k.Wake(k.Key(client.ObjectKeyFromObject(o)))
		})
	}
	release()
	out.told = of.told()
	r.conclude(o, record, out, p)
	k.Wake(k.Key(client.ObjectKeyFromObject(o)))
}

// recording bounds how long the outcome of an attempt is tried to be recorded. Afterwards it is
// unknown.
const recording = 10 * time.Minute

// conclude records how an attempt has ended. The object is read again, since it may have changed
// meanwhile.
func (r *Reconciler) conclude(o *object, begun invocation.Record, with end, p *planned) {
	k := r.kind
	ended := begun.End(with.outcome, k.now())
	known := k.looks.Recall(o)
	known.unsure = invocation.Record{}
	if known.uninvoked++; with.outcome != terraform.ActionNotInvoked {
		known.uninvoked = 0
	}
	known.at = k.Clock.Now()
	k.looks.Remember(o, known)
	ctx, cancel := context.WithTimeout(context.Background(), recording)
	defer cancel()
	backoff := wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2, Steps: 12, Cap: 10 * time.Second}
	err := backoff.DelayFunc().Until(ctx, true, false, func(ctx context.Context) (bool, error) {
		err := r.record(ctx, o, begun, ended, with)
		return err == nil || kerrors.IsNotFound(err), nil
	})
	if err != nil {
		k.Options.Logger.Error(err, "Cannot record how an action has ended", "kind", k.Model.Kind, "namespace",
			o.GetNamespace(), "name", o.GetName(), "outcome", with.outcome)
	}
}

// record writes how an attempt has ended, over the record of the same attempt only.
func (r *Reconciler) record(ctx context.Context, of *object, begun, ended invocation.Record, with end) error {
	k := r.kind
	u, err := k.Get(ctx, k.Live, client.ObjectKeyFromObject(of))
	if err != nil {
		return err
	}
	now := recordOf(u)
	same := now.Attempts == begun.Attempts && now.Started.Equal(begun.Started) &&
		(now.Phase == invocation.Running || now.Phase == invocation.Unknown)
	if u.GetUID() != of.GetUID() || !same {
		return nil
	}
	o := &object{unmanaged.NewResource(u, nil)}
	o.Secrets = of.Secrets
	o.setRecord(ended)
	o.setProgress(with.told)
	s, e := k.ending(o, ended, with)
	o.describe(s)
	var warnings []string
	for _, d := range with.diags.Warnings() {
		warnings = append(warnings, o.Redacted(translate.Message(k.Model, diagnostic.Diagnostics{d})))
	}
	added := o.SetWarnings(warnings)
	if err := o.Write(ctx, r.client); err != nil {
		return err
	}
	k.tell(o)
	r.warn(o, added)
	k.Options.Recorder.Event(o, e)
	return nil
}

// ending returns the situation after an attempt, and the event that tells it.
func (k *Kind) ending(o *object, ended invocation.Record, with end) (situation, event.Event) {
	s := situation{
		phase: ended.Phase, suspended: o.suspended(),
		message: managed.Shorten(o.Redacted(translate.Message(k.Model, with.diags.Errors()))),
	}
	e := event.Event{Type: event.TypeWarning}
	in := o.input(ended.Ended, false)
	in.Record = ended
	switch ended.Phase {
	case invocation.Succeeded:
		return s, event.Normal(reasonSucceeded, "The action has succeeded")
	case invocation.Failed:
		s.retries = in.Retries()
		s.reason, e.Reason = v1alpha1.ReasonInvocationFailed, reasonFailed
		if s.retries {
			s.message = fmt.Sprintf("%s\nIt is invoked again: %d of at most %d attempts were made.", s.message, ended.Attempts, in.MaxAttempts)
		}
	case invocation.Pending:
		s.reason, e.Reason = v1alpha1.ReasonCannotInvoke, reasonCannot
		if s.message == "" {
			s.reason, s.message, e.Type = xpv2.ReasonReconcileError, "The controller ends: the next one invokes the action.", event.TypeNormal
		}
	default:
		s.reason, e.Reason = v1alpha1.ReasonOutcomeUnknown, reasonUnknown
	}
	e.Message = s.message
	return s, e
}
