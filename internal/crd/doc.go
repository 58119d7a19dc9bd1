// Package crd makes CustomResourceDefinitions (OpenAPI v3 and CEL) from the model.
//
// In: model.Resource and model.Provider. Out: CRDs that are structural, that the API server accepts,
// and that accept all that translate produces. It never talks to an API server, and adds no rule
// that the schema does not state for certain: no defaults in forProvider, no guessed patterns.
//
// # What the API server checks, and what the provider does
//
// Required fields of forProvider are required by CEL, and only if managementPolicies let
// Landbridge create or update the object, in forProvider or initProvider (Crossplane Resource Model).
// Inside elements of lists, which are never merged, they are simply required. Inside other objects
// initProvider may add them, so that the provider says what is missing. spec.import is typed
// from the identity schema; it can be added later, but neither changed nor removed.
//
// A field that may get its value from other resources need not be given if one of its reference and
// its selector is. Inside elements of lists this is a rule in CEL as well, as far as the API
// server can afford it; else the provider says what is missing. spec.initProvider has no references.
//
// # Numbers
//
// Terraform does not tell integers from other numbers, so every number is "type: number". Integers
// of 64 bits are exact. x-kubernetes-int-or-string would refuse 1.5, and no type at all would accept
// everything; numbers beyond 64 bits are rare, and translate says what becomes of them.
//
// # Sizes
//
// A CRD that is too large for the API server loses, step by step and only as far as needed, the ends
// of its descriptions, then all of them in the fields, and then the types of what is nested
// deepest, which then takes anything; translate still checks it.
package crd
