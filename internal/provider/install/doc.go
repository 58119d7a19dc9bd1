// Package install finds the binary of a provider.
//
// In: a provider's source, as Terraform writes it or as a path, and a version constraint in
// Terraform's syntax. Out: a Binary: the path of a program for this machine, its version and
// its checksum. Files: address.go reads sources, mirror.go looks through filesystem mirrors
// in Terraform's two layouts, archive.go unpacks.
//
// It never runs a provider, and it does not speak to a network: registries and network
// mirrors are an error that says so.
package install
