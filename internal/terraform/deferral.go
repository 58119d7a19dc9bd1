package terraform

import (
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// Deferral is the reason why a provider defers what it is asked, with the name that the protocol
// has for it.
type Deferral string

// The reasons of the protocol (contract § 3.12).
const (
	NotDeferred                   Deferral = ""
	DeferredUnknown               Deferral = "UNKNOWN"
	DeferredResourceConfigUnknown Deferral = "RESOURCE_CONFIG_UNKNOWN"
	DeferredProviderConfigUnknown Deferral = "PROVIDER_CONFIG_UNKNOWN"
	DeferredAbsentPrereq          Deferral = "ABSENT_PREREQ"
)

const deferred = "Deferred by the provider: "

var deferrals = map[Deferral]string{
	DeferredUnknown:               "it gives no reason",
	DeferredResourceConfigUnknown: "it needs arguments of the resource that are not known yet",
	DeferredProviderConfigUnknown: "it needs settings of the provider configuration that are not known yet",
	DeferredAbsentPrereq:          "something that the resource depends on does not exist yet",
}

// DeferredError is the error of an operation that the provider of a resource type defers.
func DeferredError(resourceType string, reason Deferral) diagnostic.Diagnostics {
	why, ok := deferrals[reason]
	if !ok {
		reason, why = DeferredUnknown, deferrals[DeferredUnknown]
	}
	return diagnostic.Errorf(deferred+string(reason),
		"The provider does not act on %s yet: %s. Nothing was changed, and it is asked again when the resource, its "+
			"references or its provider configuration change, and at the next poll.",
		resourceType, why)
}

// DeferralOf returns why an operation was deferred; NotDeferred if it was not.
func DeferralOf(d diagnostic.Diagnostics) Deferral {
	errs := d.Errors()
	i := slices.IndexFunc(errs, func(d diagnostic.Diagnostic) bool { return strings.HasPrefix(d.Summary, deferred) })
	if i < 0 {
		return NotDeferred
	}
	return Deferral(strings.TrimPrefix(errs[i].Summary, deferred))
}
