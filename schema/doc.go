// Package schema represents a provider's schema: blocks, attributes, nested
// attributes, flags, versions, identity schemas, capabilities, and the cty types
// they imply.
//
// In: the answers to GetProviderSchema and GetResourceIdentitySchemas. Out: Provider,
// which can be stored as JSON, so that generation needs no provider binary. It is
// never made from `providers schema -json`, which loses facts (contract § 4). It is
// immutable and may be read concurrently.
package schema
