// Package inference finds out which attributes of a provider get their values from other resources,
// from the examples in its documentation: vpc_id = aws_vpc.main.id.
//
// In: a provider's schema and configuration, and a folder with its documentation (Markdown) and
// examples (HCL). Out: its model with those references that the configuration does not have, and what was inferred
// from which file. The configuration comes first; it can switch single references off.
//
// Examples are written for people: what cannot be read, is made of more than one value, or names
// what the provider does not have is passed over. The same files give the same references. It
// evaluates nothing, follows no links, and never sees a state.
package inference
