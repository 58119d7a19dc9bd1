// Package planview renders plans: as text in Terraform's form, and as JSON similar to Terraform's
// own.
//
// In: plans, with the model of their resource types. Out: text with the attribute names of the
// custom resource, or JSON with Terraform's. It decides nothing, makes no calls, and never shows a
// sensitive value, neither in the text nor, unlike Terraform, in the JSON.
package planview
