// Package matrix runs the tests of a suite and writes a table of what they prove into a page of the
// documentation.
//
// In: behaviours and columns, and tests that are named TestAnything/<column>/<behaviour>, where the name of
// a column has one slash. Out: the table, and an exit status: anything that fails, is skipped, does not run
// or is in no list is a failure. It is for tests alone.
package matrix
