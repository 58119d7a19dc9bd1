// Package crd makes CustomResourceDefinitions (OpenAPI v3 and CEL) from the model.
//
// In: model.Resource and model.Provider. Out: structural CRDs that the API server accepts, and that
// accept everything that translate produces, and JSON schemas of CRDs. CheckPath tells whether
// objects can have a field. It never calls an API server, and never adds rules that the schema does
// not imply: no defaults in forProvider, no guessed patterns.
//
// # Validation by the API server and by the provider
//
// Required fields of forProvider are required by CEL, and only if managementPolicies let Landbridge
// create or update the object, in forProvider or initProvider (Crossplane Resource Model). In
// elements of lists and sets of forProvider and in sets of initProvider, which are not merged, they
// are required by CEL unless the object has spec.references, which may set them; so are those of
// spec.import.identity. In other objects both may set them, so the provider reports missing ones,
// as it does in elements of maps and where rules would cost more than the API server permits.
// spec.import has the type of the identity schema; it can be added later, but not changed or
// removed.
//
// A required field that can take its value from other resources may be replaced by its reference or
// its selector. spec.initProvider has no references.
//
// # Numbers
//
// Terraform does not tell integers from other numbers, so every number is "type: number". Integers
// of 64 bits are exact. x-kubernetes-int-or-string would refuse 1.5, and no type would accept
// everything. Numbers beyond 64 bits are rare; package translate documents their handling.
//
// # Sizes
//
// If a CRD is too large for the API server, descriptions are shortened, then descriptions of fields
// are removed, then the types of the deepest fields are removed, which accept any value then. Each
// step is taken only if needed. translate still checks all values.
package crd
