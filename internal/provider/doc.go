// Package provider is a running Terraform provider as one Go interface.
//
// Server has the shape of protocol 6; providers that speak protocol 5 are lifted to it, so
// no layer above knows the difference. Below it: plugin (a child process over gRPC),
// inprocess (a provider linked into this program), pool (one configured server per
// provider configuration) and install (where binaries come from).
//
// A Server passes values through as the wire carries them. It never decodes, checks or
// repairs one: that is internal/terraform/engine's work.
package provider
