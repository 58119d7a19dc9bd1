// Package conformance holds one suite over all ways to have Terraform's work done: by the command
// line of OpenTofu, over gRPC, and with the provider linked in; each with a provider on the legacy
// SDK and on the framework with protocols 5 and 6. What one way does, the others do.
//
// In: the example cloud's providers. Out: what each way makes of the same inputs, compared. It is a
// module of its own since it takes OpenTofu to run, which takes minutes to build.
package conformance
