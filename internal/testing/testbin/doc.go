// Package testbin builds the programs that tests start: the playground, real
// providers and Landbridge itself.
//
// In: where a program's source is. Out: the path of an up-to-date binary under
// bin/. A binary is built only if a source is newer, and only once if several
// test binaries need it at the same time. It never links anything into the test
// binary: what needs heavy modules is a module and a process of its own.
package testbin
