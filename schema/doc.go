// Package schema is a provider's schema in one immutable form, for every layer
// above: blocks, attributes, nested attributes, flags, versions, identity schemas,
// capabilities, and the cty types they imply.
//
// In: the answers to GetProviderSchema and GetResourceIdentitySchemas. Out: Provider,
// which is JSON (de)serialisable, so that generation needs no provider binary. It is
// never made from `providers schema -json`, which loses facts (contract § 4), and it is
// never changed after it was made: all of it may be read concurrently.
package schema
