// Package translate turns what a custom resource says into cty values and back, by the model.
//
// In: unstructured JSON as apimachinery decodes it (map[string]any, []any, string, bool, int64,
// float64, nil) and cty values. Out: the other of the two, and diagnostics whose paths UserPath
// spells. It never calls a provider or the API server; Secrets come through a function.
//
// # Values
//
// Null is "not given", in both directions; an empty collection is not null. Blocks are never
// null in Terraform: one that is not given is empty for its nesting (contract § 2). Primitive types
// convert as Terraform's do ("1" to 1, true to "true"). Unknown keys are errors. Strings are brought
// to Unicode's NFC form, as by Terraform itself.
//
// # Numbers
//
// Terraform's numbers are decimal and unbounded, JSON's in Kubernetes are int64 or float64. A number
// that either of the two holds is that number. Every other is a string where a string can be: Encode,
// ConnectionDetails, identities. Custom resources declare numbers as numbers, so that Observation
// gives the nearest float64 there; the exact one is in the store. A string is accepted wherever a
// number is. An integer beyond int64 in spec has already lost digits when it arrives, since the API
// server decodes it to a float64: it is taken, with a warning.
//
// # Dynamically typed values
//
// JSON implies their type: string, number, bool, tuple, object. A value that would not come back as
// it was is written as {"$type": <type>, "$value": <value>}, with the type as in Terraform's own JSON; this
// is accepted as input too.
//
// # Secrets
//
// A sensitive value comes out of ConnectionDetails and Encode only. Error messages never contain a
// value that came from a Secret.
package translate
