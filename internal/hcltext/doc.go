// Package hcltext parses HCL that need not be trusted: of modules and of providers' documentation.
//
// In: configuration, JSON and templates as bytes. Out: what the parsers of hashicorp/hcl return.
// The parsers recurse, and a stack that overflows ends the process. So a text that is nested too
// deeply, or too large, is a diagnostic instead.
//
// It never evaluates anything.
package hcltext
