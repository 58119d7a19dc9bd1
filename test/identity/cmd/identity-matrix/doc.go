// Command identity-matrix runs the tests of package identity and writes what they prove into
// docs/identity.md, as a table of every behaviour and every way of running a provider.
//
// It fails if a cell failed or is empty, and with -check if the table in the page is another one.
package main
