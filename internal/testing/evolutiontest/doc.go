// Package evolutiontest generates random objects of kinds, for tests of their conversion between
// API versions.
//
// In: the type of a value, as in package evolution. Out: a random value of that type. It never
// converts.
package evolutiontest
