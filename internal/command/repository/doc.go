// Package repository makes the repository of a provider's author.
//
// In: a name, and a Terraform provider: a Go module, an address in a mirror, or a program. Out: a
// directory with everything that is needed to build, test, run and release a program with the
// provider's kinds: what package generate writes, and around it what belongs to the author from then
// on, of which nothing is per resource type.
//
// It runs the provider, to read its schema, and the go command. The directory appears as a whole, when
// all has worked, or not at all.
package repository
