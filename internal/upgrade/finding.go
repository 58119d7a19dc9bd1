package upgrade

import (
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Outcome is what a new version would do to a resource.
type Outcome string

// The outcomes, in the order in which they are reported.
const (
	// Refused: the new version refuses the configuration, or cannot plan it.
	Refused Outcome = "Refused"
	// NotUpgraded: the stored state or identity cannot be upgraded.
	NotUpgraded Outcome = "NotUpgraded"
	// NotPreviewed: the resource was not previewed.
	NotPreviewed Outcome = "NotPreviewed"
	// Replace: the object would be replaced.
	Replace Outcome = "Replace"
	// Create: the new version does not find the object that is stored, and would create another.
	Create Outcome = "Create"
	// Update: the object would be updated.
	Update Outcome = "Update"
	// FieldChanged: the resource uses a field that is gone, renamed, or of another type.
	FieldChanged Outcome = "FieldChanged"
	// Deprecated: the resource uses what is deprecated in the new version.
	Deprecated Outcome = "Deprecated"
	// AsInstalled: there is something to do or wrong, and the installed version plans or reports
	// the same.
	AsInstalled Outcome = "AsInstalled"
	// Unchanged: there is nothing to do.
	Unchanged Outcome = "Unchanged"
)

// Outcomes are all outcomes, in the order in which they are reported.
var Outcomes = []Outcome{Refused, NotUpgraded, NotPreviewed, Replace, Create, Update, FieldChanged, Deprecated, AsInstalled, Unchanged}

// Failed reports whether the new version cannot manage the resource, or nothing is known about it.
func (o Outcome) Failed() bool { return o == Refused || o == NotUpgraded || o == NotPreviewed }

// Changes reports whether the resource or its object would change.
func (o Outcome) Changes() bool {
	return o == Replace || o == Create || o == Update || o == FieldChanged
}

// Kind is the kind of a resource.
type Kind struct {
	// ResourceType is Terraform's name; empty for the provider's configuration.
	ResourceType string `json:"resourceType,omitempty"`
	Group        string `json:"group"`
	Kind         string `json:"kind"`
}

// Subject is a resource that was previewed.
type Subject struct {
	Kind
	Namespace, Name string
}

// Finding is one thing that was found about a resource.
type Finding struct {
	Outcome Outcome
	Cause   Cause
	// Unanswered is set if a call of the provider had no answer: it may have crashed because of
	// another resource.
	Unanswered bool
}

// Cause is why a resource has an outcome.
type Cause struct {
	// Path is the field that it is about, in the spelling of the custom resource; empty for the
	// whole resource.
	Path    string `json:"path,omitempty"`
	Summary string `json:"summary,omitempty"`
	Detail  string `json:"detail,omitempty"`
	// Changes are what an update or a replacement would change.
	Changes []Change `json:"changes,omitempty"`
	// Held is why the change would not be carried out; empty if it would be.
	Held string `json:"held,omitempty"`
}

// Change is a change of a value. Sensitive values are marked, and not shown.
type Change struct {
	translate.Change
	// Replaces is set if the change replaces the object.
	Replaces bool `json:"replaces,omitempty"`
}
