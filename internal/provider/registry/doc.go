// Package registry finds and downloads the packages of providers: from registries, network mirrors
// and OCI mirrors.
//
// In: the address of a provider, and the files that configure Terraform's command line: the block
// provider_installation, and credentials. Out: the sources of the provider in the order in which
// they are searched, the versions that each has, and a Package: where it is downloaded from, the
// checksums that it must have, and who signed them. A folder is a source, too; package install
// reads it.
//
// Modules in OCI repositories are pulled with the same credentials (artifact.go).
//
// Files: config.go reads the files, pattern.go decides which source is for which provider,
// direct.go, network.go and oci.go speak the three protocols, signature.go and sums.go check what a
// release is signed with, transport.go tries again, and download.go resumes.
//
// It never follows a link to an address without TLS, never sends a token to another host than the
// one it is for, and never runs or unpacks anything. It does not decide whether a package is
// trusted: package install does.
package registry
