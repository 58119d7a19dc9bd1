// Package tofu runs OpenTofu, built from its Go module, in a workspace with a configuration and a
// state.
//
// In: resources as JSON, a state, and the addresses of running providers. Out: the state afterwards
// and diagnostics by resource. It downloads no binary and installs no provider.
package tofu
