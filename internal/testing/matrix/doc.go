// Package matrix runs the tests of a suite and writes what they prove into the pages of the
// documentation, as tables.
//
// In: behaviours and columns, and tests that are named TestAnything/<column>/<behaviour>, where the name of
// a column has one slash. Out: the tables, and an exit status: anything that fails, is skipped, does not run
// or is in no list is a failure. It is for tests alone.
package matrix
