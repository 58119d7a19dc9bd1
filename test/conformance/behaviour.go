package conformance

import (
	"strings"

	"github.com/landbridge-io/landbridge/test/matrix"
)

// Reasons why a behaviour does not apply.
const (
	noProgram  = "There is no program between Landbridge and the provider."
	noIdentity = "Terraform supports resource identities from 1.12 on. Earlier versions cannot import by identity; " +
		"an attempt is an error that says so."
	noStateless = "The legacy SDK has no state without an id, so its importers always answer with one."
	noWriteOnly = "Terraform supports write-only attributes from 1.11 on. Earlier versions cannot set them; an " +
		"attempt is an error that says so."
)

// Behaviours lists what is tested for each way and each form of a provider. Compared behaviours
// have the same golden file for all ways.
var Behaviours = []matrix.Behaviour{
	{Section: "Plan and apply", Name: "create", Says: "A create, a read that finds nothing changed, a plan without changes"},
	{Section: "Plan and apply", Name: "update", Says: "An update in place"},
	{Section: "Plan and apply", Name: "replace", Says: "A replacement, with the attributes that force it, as a delete and a create"},
	{Section: "Plan and apply", Name: "create_before_destroy", Says: "A replacement in the other order"},
	{Section: "Plan and apply", Name: "taint", Says: "A tainted object is replaced, an untainted one is not"},
	{Section: "Plan and apply", Name: "drift", Says: "Changes and removals from outside are found"},
	{Section: "Plan and apply", Name: "ignore_changes", Says: "Ignored changes, of some attributes or of all"},
	{Section: "Plan and apply", Name: "prevent_destroy", Says: "A plan that would destroy a protected object is refused"},
	{Section: "Plan and apply", Name: "values", Says: "A value of every type, with characters that need quoting"},
	{Section: "Plan and apply", Name: "validate", Says: "A configuration that the provider refuses; the error names the attribute"},
	{Section: "Plan and apply", Name: "out_of_date", Says: "A plan that does not fit the object is not applied"},

	{Section: "Import", Name: "import_by_id", Says: "By id; an object that does not exist is an error"},
	{Section: "Import", Name: "import_by_identity", Says: "By identity, of one and of several attributes", Not: notTerraform(noIdentity)},
	{
		Section: "Import", Name: "import_without_state",
		Says: "By identity, with an answer without state, which the following read returns", Not: stateless,
	},
	{Section: "Import", Name: "import_refused", Says: "An import that the type does not support is refused"},

	{Section: "Versions and identity", Name: "upgrade", Says: "State and identity of an older release are upgraded"},
	{Section: "Versions and identity", Name: "upgrade_fails", Says: "An upgrade that fails leaves the identity as it was"},
	{Section: "Versions and identity", Name: "downgrade", Says: "State of a newer release is refused"},
	{Section: "Versions and identity", Name: "mutable_identity", Says: "An identity that changes and is mutable"},
	{Section: "Versions and identity", Name: "unexpected_identity", Says: "An identity that changes and is not mutable"},

	{Section: "Secrets", Name: "sensitive", Says: "Sensitive attributes"},
	{Section: "Secrets", Name: "write_only", Says: "Write-only attributes", Not: notTerraform(noWriteOnly)},
	{Section: "Secrets", Name: "marks", Says: "Marking a value as sensitive changes nothing"},

	{Section: "Failures", Name: "create_fails", Says: "A create that fails before the object exists, and one that fails after"},
	{Section: "Failures", Name: "update_fails", Says: "An update that fails"},
	{Section: "Failures", Name: "delete_fails", Says: "A delete that fails and is repeated"},
	{Section: "Failures", Name: "read_fails", Says: "A read that fails"},
	{Section: "Failures", Name: "deadline", Says: "A create that never ends"},
	{
		Section: "Failures", Name: "killed_while_creating",
		Says: "The program is killed while the provider creates: the object is not lost", Not: onlyCLI,
	},
	{
		Section: "Failures", Name: "killed_anywhere",
		Says: "The program is killed at any time: the stored state matches the object", Not: onlyCLI,
	},
}

func onlyCLI(column string) string {
	for _, way := range CommandLines {
		if strings.HasSuffix(column, "/"+string(way)) {
			return ""
		}
	}
	return noProgram
}

func notTerraform(reason string) func(string) string {
	return func(column string) string {
		if strings.HasSuffix(column, "/"+string(Terraform)) {
			return reason
		}
		return ""
	}
}

// Applies reports whether a behaviour is tested in a column.
func Applies(name, column string) bool {
	for _, b := range Behaviours {
		if b.Name == name && b.Not != nil && b.Not(column) != "" {
			return false
		}
	}
	return true
}

func stateless(column string) string {
	if strings.HasPrefix(column, "sdkv2/") {
		return noStateless
	}
	return notTerraform(noIdentity)(column)
}
