// Package translate converts the fields of custom resources to cty values and back, as the model
// describes them.
//
// In: unstructured JSON as apimachinery decodes it (map[string]any, []any, string, bool, int64,
// float64, nil), or cty values. Out: the other of the two, and diagnostics, whose paths UserPath
// formats. It never calls a provider or the API server; a function returns the values of Secrets.
//
// # Values
//
// Null means "not set" in both directions; an empty collection is not null. Blocks are never null
// in Terraform: an unset one is empty for its nesting (contract § 2). Primitive types are converted
// as in Terraform ("1" to 1, true to "true"). Unknown keys are errors. Strings are normalized to
// Unicode NFC, as in Terraform.
//
// # Numbers
//
// Terraform's numbers are decimal and unbounded; JSON numbers in Kubernetes are int64 or float64. A
// number that neither holds exactly is a string in Encode, ConnectionDetails and identities. Custom
// resources declare numbers as numbers, so Observation returns the nearest float64; the exact
// number is in the store. A string is accepted wherever a number is. An integer beyond int64 in
// spec has already lost digits, since the API server decodes it to a float64: it is accepted with a
// warning.
//
// # Dynamically typed values
//
// JSON implies their type: string, number, bool, tuple, object. A value that would change in a
// round trip is written as {"$type": <type>, "$value": <value>}, with the type as in Terraform's
// JSON. This form is also accepted as input.
//
// # Secrets
//
// Only ConnectionDetails and Encode return sensitive values. Error messages never contain a value
// from a Secret.
package translate
