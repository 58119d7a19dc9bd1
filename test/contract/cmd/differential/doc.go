// Command differential compares the engine with OpenTofu over random cases, and over those in
// testdata that differed once. Its last line is `differential: N cases, D differences`; it fails
// when there is one.
package main
