// Package sbom lists what Go programs are made of, as an SPDX document.
//
// In: Go programs, whose modules are read from what the go command recorded in them. Out: JSON that
// is the same for the same programs. It reads no go.mod: what is in a program is what was linked,
// not what was required.
package sbom
