// Package evolutiontest draws objects of kinds, for tests of what becomes of them in other API versions.
//
// In: the type of a value, as package evolution has it. Out: a value that is of it.
package evolutiontest
