// Package install finds the binary of a provider.
//
// In: a provider's source, as Terraform writes it or as a path, a version constraint in Terraform's
// syntax, and what is known of versions that were installed before. Out: a Binary: the path of a
// program for this machine, its version and its checksums. Files: address.go parses sources,
// mirror.go searches filesystem mirrors in Terraform's two layouts, remote.go searches registries
// and network mirrors and downloads packages into the cache, request.go decides which packages are
// trusted, archive.go unpacks them.
//
// It never runs a provider. It uses the network by package registry alone, and not at all for what
// is in the cache.
package install
