// Package install finds the binary of a provider.
//
// In: a provider's source, as Terraform writes it or as a path, and a version constraint in
// Terraform's syntax. Out: a Binary: the path of a program for this machine, its version and
// its checksum. Files: address.go parses sources, mirror.go searches filesystem mirrors in
// Terraform's two layouts, archive.go unpacks packages.
//
// It never runs a provider and never uses the network: registries and network mirrors are not
// supported, and return an error.
package install
