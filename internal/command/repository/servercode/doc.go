// Package servercode writes the Go code that makes the server of a Terraform provider, to link the
// provider into another program.
//
// In: the provider's main package, or functions that make its parts; and the Go module that
// requires the provider. Out: the source of a package with one function, and whether Go's rule on
// internal packages demands a place for it. Of the main package, it takes the statements that make
// the server and leaves out what makes it a program: flags, debuggers, the listener.
//
// It runs the go command. It never runs, copies or changes the provider's packages.
package servercode
