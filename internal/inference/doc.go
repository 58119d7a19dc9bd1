// Package inference infers which attributes of a provider take their values from other resources,
// from the examples in its documentation: vpc_id = aws_vpc.main.id.
//
// In: a provider's schema and configuration, and a directory with its documentation (Markdown) and
// examples (HCL). Out: its model with the inferred references, and the files they come from. The
// configuration takes precedence, and can turn single references off.
//
// Expressions that cannot be parsed, combine several values, or name unknown types are ignored. The
// same files give the same references. It never evaluates expressions, follows links or reads
// state.
package inference
