package results

import (
	"context"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/ephemeral"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Reasons of events of ephemeral resources.
const (
	reasonOpened      event.Reason = "OpenedEphemeralResource"
	reasonClosed      event.Reason = "ClosedEphemeralResource"
	reasonCannotOpen  event.Reason = "CannotOpenEphemeralResource"
	reasonCannotRenew event.Reason = "CannotRenewEphemeralResource"
	reasonCannotClose event.Reason = "CannotCloseEphemeralResource"
)

var reasonsCannot = map[xpv2.ConditionReason]event.Reason{
	v1alpha1.ReasonRenewalFailed: reasonCannotRenew,
	v1alpha1.ReasonCloseFailed:   reasonCannotClose,
}

// attempts are those in a row that have failed.
type attempts struct {
	n  int
	at time.Time
}

func (a *attempts) failed(at time.Time) { a.n, a.at = a.n+1, at }

// opener acquires the provider. reason is that of the step that needs it.
func (k *Kind) opener(ctx context.Context, h *holding, reason xpv2.ConditionReason) (terraform.EphemeralOpener, func(), *failure) {
	if h.unusable != nil {
		f := *h.unusable
		f.again = again
		return nil, nil, &f
	}
	ex, release, diags := h.handle.Acquire(ctx)
	if diags.HasErrors() {
		return nil, nil, k.unable(h, reason, diags)
	}
	opener, ok := ex.(terraform.EphemeralOpener)
	if !ok {
		release()
		return nil, nil, &failure{
			reason: v1alpha1.ReasonInvalidConfiguration, message: "Ephemeral resources cannot be opened with this " +
				"way of execution.",
			stalls: true, again: again,
		}
	}
	return opener, release, nil
}

// unable counts a step that has failed, and returns why it has and when it is tried again.
func (k *Kind) unable(h *holding, reason xpv2.ConditionReason, diags diagnostic.Diagnostics) *failure {
	of := &h.known.opening
	if reason == v1alpha1.ReasonCloseFailed {
		of = &h.known.closing
	}
	of.failed(k.now())
	out := k.refused(h.object, diags)
	out.cannot = reasonCannotOpen
	if e, ok := reasonsCannot[reason]; ok {
		out.cannot = e
	}
	if out.reason == v1alpha1.ReasonReadFailed {
		out.reason = reason
	}
	out.standing = false
	if out.retryAt.IsZero() {
		out.again = max(ephemeral.RetryAt(of.n, of.at).Sub(k.now()), time.Millisecond)
	}
	return out
}

// details returns the values of a result for its Secret. All of them are secret.
func (k *Kind) details(h *holding, opened terraform.Opened) map[string][]byte {
	out := translate.ResultDetails(k.Model, opened.Result)
	h.conceal(out)
	return out
}

// leastSecret is the length of the shortest value of a result that is redacted from messages:
// others, such as durations and names, are often given in spec.
const leastSecret = 8

// conceal has values redacted from messages.
func (o *object) conceal(values map[string][]byte) {
	for _, v := range values {
		if len(v) >= leastSecret {
			o.Secrets = append(o.Secrets, string(v))
		}
	}
}

// save stores what is open of an object.
func (k *Kind) save(ctx context.Context, h *holding) error {
	return k.Leases.save(ctx, k.Key(client.ObjectKeyFromObject(h.object)), &h.leases)
}
