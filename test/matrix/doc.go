// Package matrix runs the tests of a suite and writes their results into pages of the
// documentation, as tables of behaviours by columns.
//
// In: behaviours and columns, and tests that are named TestAnything/<column>/<behaviour>; the name
// of a column contains one slash. Out: the tables and an exit status. A test that fails, is
// skipped, does not run, or belongs to no cell is a failure. It never writes a table of which
// anything failed.
package matrix
