package terraform

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
)

const outcomeUnknown = "Create outcome unknown"

// OutcomeUnknownError is the error that Apply adds to the cause when it is unknown whether a create
// made an object.
func OutcomeUnknownError(resourceType string) diagnostic.Diagnostics {
	return diagnostic.Errorf(outcomeUnknown, "The provider did not say whether it created the object of %s. It may "+
		"exist: look for it before another one is created.", resourceType)
}

// OutcomeUnknown reports whether a create of Apply may have made an object that is not in the
// instance that Apply returned.
func OutcomeUnknown(d diagnostic.Diagnostics) bool { return d.HasSummary(outcomeUnknown) }

// Unidentified reports whether an object that a create has left cannot be found again: it has
// neither an id, which the plan left to the provider, nor an identity. Nothing is known of objects
// without the attribute id.
func Unidentified(planned, state, identity cty.Value) bool {
	if t := state.Type(); state.IsNull() || !t.IsObjectType() || !t.HasAttribute("id") || t.AttributeType("id") != cty.String {
		return false
	}
	id := state.GetAttr("id")
	return !planned.IsNull() && !planned.GetAttr("id").IsKnown() && (id.IsNull() || id.RawEquals(cty.StringVal(""))) &&
		!instance.Identified(identity)
}

const objectExists = "Object exists already"

// ObjectExistsError is the error of a create of an object, given by its identity or import id, that
// exists already. about is what else the user needs to know.
func ObjectExistsError(what, about string) diagnostic.Diagnostics {
	return diagnostic.Errorf(objectExists, "A remote object with the %s of the one to create exists, and %s", what, about)
}

// ObjectExists reports whether an object was not created because it exists already.
func ObjectExists(d diagnostic.Diagnostics) bool { return d.HasSummary(objectExists) }

// Inconsistent reports whether the only errors are that the object is not what was planned
// (contract § 3.7).
func Inconsistent(d diagnostic.Diagnostics) bool {
	return d.HasErrors() && !slices.ContainsFunc(d.Errors(), func(d diagnostic.Diagnostic) bool {
		return !strings.HasPrefix(d.Summary, "Provider produced inconsistent result after apply")
	})
}

// UnexpectedIdentityChange reports whether a provider rejects an identity because it differs from
// the stored or planned one, and identities of the type do not change. The framework splits the
// message; the legacy SDK puts all of it into the summary (contract § 3.13).
func UnexpectedIdentityChange(d diagnostic.Diagnostics) bool {
	return slices.ContainsFunc(d.Errors(), func(d diagnostic.Diagnostic) bool {
		return strings.HasPrefix(d.Summary, "Unexpected Identity Change")
	})
}

const identityIncomplete = "Stored identity incomplete"

// IdentityIncompleteError is the error that explains an UnexpectedIdentityChange: the stored
// identity lacks attributes of the current version of the identity schema.
func IdentityIncompleteError(resourceType string, missing []string, version int64) diagnostic.Diagnostics {
	return diagnostic.Errorf(identityIncomplete,
		"The stored identity of %s has no value for %s of the identity schema, version %d. If an update of the "+
			"provider added that without a new version of the schema, stored identities cannot be upgraded: it is a "+
			"bug in the provider.",
		resourceType, strings.Join(missing, ", "), version)
}

// IdentityIncomplete reports whether a provider rejects an identity and the stored one lacks
// attributes.
func IdentityIncomplete(d diagnostic.Diagnostics) bool { return d.HasSummary(identityIncomplete) }

// NonExistent reports whether an import failed because there is no such object (contract § 3.10).
func NonExistent(d diagnostic.Diagnostics) bool {
	return d.HasSummary("Cannot import non-existent remote object") || d.HasSummary("Import returned null resource")
}

// Unanswered reports whether a call of the provider had no answer, as with a crash, so that it is
// not known what the answer would have been.
func Unanswered(d diagnostic.Diagnostics) bool {
	return d.HasSummary("Plugin did not respond") || d.HasSummary("Request cancelled")
}
