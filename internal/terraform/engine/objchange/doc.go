// Package objchange implements Terraform Core's rules for the values of one resource instance:
// the proposed new state (ProposedNew), the check of a plan against the configuration
// (AssertPlanValid), the check of a result against the plan (AssertObjectCompatible), and the
// normalization of the legacy SDK's blocks (NormalizeObjectFromLegacySDK). See contract §§ 3.5 to
// 3.7.
//
// Values and schemas in, values and errors out: pure functions. Errors are cty.PathErrors
// and never hold a value, so sensitive attributes need no special care. The package never
// decides what an error means for the operation.
package objchange
