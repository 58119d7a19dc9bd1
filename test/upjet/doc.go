// Command upjet writes the CRDs that the tests of migrations apply: of providers for random and
// hcloud as Upjet generates them, with kinds that have no namespace (v1) and with kinds that have
// one (v2).
//
//	go run ./test/upjet
//
// In: the schemas of the real providers in internal/testing/schematest, and the rules in
// internal/testing/upjettest. Out: test/upjet/crds, which a test compares. It never runs Upjet.
package main
