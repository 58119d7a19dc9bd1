package managed

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// explain turns an error of the scheduler into the user's message, with the paths of fields in spec
// and without secrets, and sets the conditions that belong to it.
func (c *connector) explain(ctx context.Context, r *CustomResource, err error) error {
	var se *scheduler.Error
	if !errors.As(err, &se) {
		return err
	}
	message := c.message(r, se)
	if a := attemptFrom(ctx); a != nil {
		message += a.ofConfiguration(r, c.kind.tracked.old(subjectOf(r)), se)
	}
	if awaitsApproval(se.Reason) {
		message = c.setUnapproved(r, se.Reason)
	}
	if se.Reason == decision.ReasonDenied {
		setDenied(r, message)
	}
	c.setDeferred(r, terraform.DeferralOf(se.Diagnostics), message)
	reason, ok := reasons[se.Reason]
	if ok && r.reason == "" {
		r.reason = reason
	}
	if standing[se.Reason] {
		if a := attemptFrom(ctx); a != nil {
			a.retryAt = time.Now().Add(c.kind.poll(r))
		}
		// One event, not one for each reconcile.
		now := r.GetCondition(xpv2.TypeSynced)
		if now.Reason != reason || !strings.HasSuffix(now.Message, message) {
			c.kind.Options.Recorder.Event(r, standingEvent(se.Reason, event.Reason(reason), message))
		}
		r.told = true
	}
	if !se.RetryAt.IsZero() { // an operation has failed
		r.told, r.retryAt = true, se.RetryAt
		if o := r.observation; o != nil && o.Last.Failed() {
			r.failed = o.Last.Kind
		}
		r.SetConditions(xpv2.UpdateFailed().WithObservedGeneration(r.GetGeneration()))
	}
	if at := cmp.Or(se.RetryAt, se.LookAt); !at.IsZero() {
		if a := attemptFrom(ctx); a != nil {
			a.retryAt = at
		}
	}
	return errors.New(message)
}
