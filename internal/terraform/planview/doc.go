// Package planview shows plans: as text for people, in the form they know from Terraform, and as
// JSON for programs, close to Terraform's own.
//
// In: plans, with the model of their resource types. Out: text with attributes in the spelling of
// the custom resource, or JSON with attributes in Terraform's. It decides nothing, calls nobody,
// and never shows a sensitive value: not in the text, and not in the JSON, where Terraform does.
package planview
