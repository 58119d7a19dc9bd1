// Package provider defines the interface of a running Terraform provider.
//
// In: calls of plugin protocol 6. Out: the provider's answers. Providers of protocol 5 are lifted
// to protocol 6, so that no layer above sees the difference. The packages below it are plugin (a
// child process over gRPC), inprocess (a provider linked into this program), pool (one configured
// server per provider configuration) and install (provider binaries).
//
// A Server passes values through as they are on the wire. It never decodes, checks or repairs them;
// internal/terraform/engine does.
package provider
