// Command behaviours runs the tests of package behaviour and writes their results into pages of the
// documentation, as tables of every behaviour and every way of running a provider.
//
// It fails if a cell failed or is empty, and with -check if a table in a page differs.
package main
