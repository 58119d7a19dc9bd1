// Package estatepolicy is the controller of EstatePolicies.
//
// In: EstatePolicies. Out: the condition Ready of each, which has the error if an expression does
// not compile.
//
// It judges no object: package policy does, when a query has found one.
package estatepolicy
