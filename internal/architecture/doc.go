// Package architecture holds tests of the repository's shape: which package may import
// which, that every package has a doc.go, what the root module must never depend on, that
// references lead to something in the repository (sections and test vectors of
// docs/contract.md, links of pages), and that the tests of docs/seeds.md exist and are run.
//
// In: the source tree and the go command's answers. It never exports anything.
package architecture
