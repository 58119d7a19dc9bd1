// Package tofu runs the real thing: OpenTofu, built from its Go module, in a workspace that
// holds a configuration and a state.
//
// In go resources as JSON, a state, and the addresses of providers that are being served; out
// come the state afterwards and diagnostics by resource. It downloads no binary and installs no
// provider.
package tofu
