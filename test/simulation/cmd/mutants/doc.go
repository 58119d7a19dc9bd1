// Command mutants shows that the simulation finds defects: it makes deliberate faults, one at a
// time, and simulates until an invariant is violated.
//
// In: a seed, and the faults in list.go, each of which names a package, a function and the code in
// it that is changed (syntax.go). Out: a line for each fault, and how many of them were found. It
// never changes a file of the repository: the go command is given the changed files as an overlay.
package main
