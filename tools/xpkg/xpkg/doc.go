// Package xpkg makes Crossplane packages.
//
// In: the directory with a package's metadata and CRDs, and the image that runs the provider's
// program. Out: an image that is both, as Crossplane's package manager reads it: its file
// package.yaml is in a layer of its own. Check has the rules that the package manager has for
// packages of providers. It never uses the network, except Push.
package xpkg
