// Package objchange is how Terraform Core relates the values of one resource instance:
// what a configuration and a prior state propose (ProposedNew), whether a provider's plan
// honours the configuration (AssertPlanValid), whether what it applied honours the plan
// (AssertObjectCompatible), and what the legacy SDK's blocks are to be read as
// (NormalizeObjectFromLegacySDK). Contract §§ 3.5 to 3.7.
//
// Values and schemas in, values and errors out: pure functions. Errors are cty.PathErrors
// and never hold a value, so they need no care for sensitive attributes. The package never
// decides what an error means for the operation.
package objchange
