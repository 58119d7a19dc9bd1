// Package vectors runs those of the contract's test vectors that want a real provider
// server: the legacy plugin SDK's, the framework's over both protocols, and a mux of them.
// Command cmd/vectors counts all vectors, here and in the root module.
package vectors
