// Package testbin builds the programs that tests start: the playground, real
// providers and Landbridge itself.
//
// In goes where a program's source is; out comes the path of an up-to-date
// binary under bin/. It is built at most once, however many test binaries ask
// at the same time, and not at all where nothing is newer than it. It never
// builds anything into the asking program: what needs heavy modules stays in
// modules and processes of its own.
package testbin
