// Package expression compiles and evaluates CEL expressions of users: it has what the conditions of
// PlanPolicies and the transforms of references have in common, and the transforms.
//
// In: an expression, and the values of its variables. Out: a value, or an error of one line.
//
// Expressions are bounded in what they cost, and see nothing but their variables. Functions of
// providers are called by a function that the caller gives. The package keeps no state but compiled
// transforms.
package expression
