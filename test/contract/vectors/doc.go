// Package vectors tests those of the contract's test vectors that need a real provider server: the
// legacy plugin SDK's, the framework's over both protocols, and a mux of them. The provider is that
// of internal/cloud. Those of actions and ephemeral resources run a provider that need not be
// correct, as a plugin and in process, in both protocols.
//
// cmd/vectors runs and counts all vectors, here and in the root module.
package vectors
