// Command behaviours runs the tests of package behaviour and writes what they prove into the
// pages of the documentation, as tables of every behaviour and every way of running a provider.
//
// It fails if a cell failed or is empty, and with -check if a table in a page is another one.
package main
