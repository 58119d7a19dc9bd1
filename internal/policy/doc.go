// Package policy evaluates PlanPolicies, whose conditions are CEL expressions over plans.
//
// In: PlanPolicies, a plan, its resource, and the time. Out: whether the plan is denied, needs
// approval, or is warned of, with messages.
//
// A condition that does not compile, fails, or costs too much counts as true, so that a mistake
// never permits anything. Sensitive values never reach expressions. The package makes no calls, and
// keeps no state but compiled expressions.
package policy
