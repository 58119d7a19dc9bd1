// Command xpkg builds, checks and pushes Crossplane packages of providers, without the crossplane
// program and without a container runtime. It is a module of its own, so that registries and
// Crossplane's package types stay out of the root module; it does not depend on the root module, so
// that `go run` runs a released version of it.
package main
