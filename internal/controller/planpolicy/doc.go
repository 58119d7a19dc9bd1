// Package planpolicy is the controller of PlanPolicies.
//
// In: PlanPolicies. Out: the condition Ready of each, which has the error if its condition does not
// compile; and a call when policies have changed, so that plans that they held back are decided
// about again.
//
// It decides about no plan: package policy does, when the scheduler asks.
package planpolicy
