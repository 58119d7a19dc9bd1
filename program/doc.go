// Package program is the command line of programs that run controllers: of landbridge itself, and of
// the programs that are made for one provider.
//
// In: flags and the environment. Out: controller.Options, and a process that works until it is told to
// stop. Nothing here knows what is reconciled.
package program
