// Package repository creates the repository of a provider's author (landbridge init).
//
// In: a name, and a Terraform provider: a Go module, a checkout, an address in a mirror, or a
// binary. Out: a directory with everything to build, test, run and release a program with the
// provider's kinds: what package generate writes, and files that belong to the author from then on,
// none of them per resource type. If the program is to link the provider, it and the code that
// makes the provider's server are Go modules of their own.
//
// It runs the provider, to read its schema and to check examples, and the go command. The directory
// is created completely or not at all. It never changes an existing repository.
package repository
