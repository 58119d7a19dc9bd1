// Package program has the programs that run Landbridge's controllers: Controller serves the
// providers of TerraformProviders and those that are linked into it, and Program serves the
// generated kinds of one provider.
//
// In: flags, the environment, and what the program is made for. Out: a process that runs until it
// receives SIGTERM or an interrupt. It never reconciles anything itself.
package program
