package unmanaged

import (
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Refusal is why a call of the provider has not done what it is for.
type Refusal struct {
	Reason   xpv2.ConditionReason
	Message  string
	Deferral terraform.Deferral
	// RetryAt is when the provider is available again; zero if that is not known.
	RetryAt time.Time
	// Passing is set for what ends within seconds and is not told.
	Passing bool
	// OfResource is set for what stays until the object is changed.
	OfResource bool
}

// Refused returns why a call of the provider for an object has failed: by the reason otherwise,
// unless the provider has deferred it or cannot be called.
func (k *Kind) Refused(o *Resource, otherwise xpv2.ConditionReason, diags diagnostic.Diagnostics) Refusal {
	out := Refusal{Reason: otherwise, Message: translate.Message(k.Model, diags.Errors()), Deferral: terraform.DeferralOf(diags)}
	if out.Deferral != terraform.NotDeferred {
		out.Reason = v1alpha1.ReasonDeferred
		return out
	}
	if f := o.Visit.Trouble(); f != nil && !f.RetryAt.IsZero() {
		out.Reason, out.RetryAt, out.Passing = providerconfig.ReasonOf(f), f.RetryAt, f.Passing && o.Visit.Refused() != nil
		out.OfResource = f.OfResource
	}
	return out
}
