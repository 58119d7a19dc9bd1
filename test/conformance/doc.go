// Package conformance has one suite for all ways of execution: OpenTofu's and Terraform's command
// lines, the provider over gRPC, and the provider linked in; each with a provider on the legacy SDK
// and on the framework with protocols 5 and 6. All ways must give the same results.
//
// In: the example cloud's providers. Out: the compared results of all ways for the same inputs. It
// is a separate module because it needs OpenTofu, which takes minutes to build.
package conformance
