package scheduler

import (
	"context"
	"hash/fnv"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/survey"
)

// A look at an object may be answered by a survey (package survey) instead of a read, if the kind
// is configured for it. The survey only confirms what is known already: that the object is as it is
// stored. Whatever it does not confirm is read. So it can only be wrong about what a list does not
// tell, and that is read with every n-th look.

// confirmable reports whether a survey could confirm that the object is unchanged. Objects with
// anything out of the ordinary are read.
func (e *entry) confirmable(r *Request) bool {
	in := &e.record.Instance
	return r.ListRefresh != nil && e.confirmation != nil && e.confirmation.requested == r.LookRequested &&
		in.Status == instance.Full && len(in.RawState) == 0 && len(in.RawIdentity) == 0 &&
		instance.Present(in.State) && instance.Known(in.Identity) &&
		len(e.missing) == 0 && (e.flap == nil || e.flap.count == 0) &&
		e.view.observation != nil && e.view.observation.Drift == nil && e.view.observation.Flap == nil
}

// confirm reports whether a survey shows the object unchanged.
func (o *observing) confirm(ctx context.Context, r *Request) bool {
	e, in := o.e, &o.e.record.Instance
	arguments, missing := r.ListRefresh.Arguments(in.State)
	if missing != "" {
		return false
	}
	of := survey.Of{Schema: r.Type.Schema, Configuration: r.ProviderConfiguration, Account: r.Account, Arguments: survey.Text(arguments)}
	now := o.o.Clock.Now()
	listing, cancel := half(ctx)
	defer cancel()
	x := o.surveys.Use(listing, of, now.Add(3*r.ListRefresh.Interval),
		func(x *survey.Survey) decision.Verdict { return decision.Look(e.lookInput(r, x, o.o.Clock.Now())) },
		func() *survey.Survey { return o.survey(ctx, listing, r, of, arguments) })
	if x == nil || !x.Shows(r.Type.Schema, in.Identity, in.State) {
		return false
	}
	e.confirmation.at = x.Began
	e.confirmation.listed++
	e.matched = x.Began
	return true
}

func (e *entry) lookInput(r *Request, x *survey.Survey, now time.Time) decision.LookInput {
	in := decision.LookInput{
		Now: now, Known: e.confirmation.at, Listed: e.confirmation.listed,
		ReadEvery: r.ListRefresh.ReadEvery, Phase: phaseOf(e.uid), Interval: r.ListRefresh.Interval,
	}
	if x != nil {
		in.Any, in.Began, in.Serial = true, x.Began, x.Serial
	}
	return in
}

// survey makes a survey. The context listing ends earlier than ctx, with which the provider is
// acquired also for a read.
func (o *observing) survey(ctx, listing context.Context, r *Request, of survey.Of, arguments map[string]cty.Value) *survey.Survey {
	before := o.surveys.Failure(of)
	var out *survey.Survey
	if err := o.acquireOnce(ctx, r); err != nil {
		out = &survey.Survey{Began: o.o.Clock.Now(), Failed: err.Error()}
	} else {
		out = survey.Take(listing, o.ex, r.Type, arguments, o.o.Clock.Now())
	}
	if out.Failed != "" && out.Failed != before {
		o.o.Logger.Info("Objects cannot be listed, so each is read", "type", r.Type.Schema.Type, "configuration",
			r.ProviderConfiguration, "why", out.Failed)
	}
	return out
}

// acquireOnce acquires the provider unless this was done already.
func (o *observing) acquireOnce(ctx context.Context, r *Request) error {
	if o.release != nil {
		return nil
	}
	return o.acquire(ctx, r)
}

// confirmed notes that a read has found the object unchanged.
func (e *entry) confirmed(r *Request, now time.Time) {
	if r.ListRefresh != nil {
		e.confirmation = &confirmation{at: now, requested: r.LookRequested}
	}
}

// half returns a context with half of the time that is left, so that there is time to read the
// object.
func half(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithTimeout(ctx, time.Until(deadline)/2)
	}
	return context.WithCancel(ctx)
}

// phaseOf returns a number for a resource.
func phaseOf(uid types.UID) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(uid)) // never fails
	return h.Sum64() >> 1
}
