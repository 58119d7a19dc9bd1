// Command conformance runs the tests of package conformance and writes their results into
// docs/execution.md, as a table of every behaviour and every way of execution.
//
// It fails if a cell failed or is empty, and with -check if the table in the page differs.
package main
