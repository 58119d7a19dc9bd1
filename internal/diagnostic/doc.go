// Package diagnostic is what a provider, or Landbridge on its behalf, says of an
// operation: severity, summary, detail, and the attribute it is about.
//
// In: the diagnostics of the plugin protocol. Out: the same four facts, with the
// attribute as a cty.Path, all the way to conditions, events and the command
// line. It never joins several diagnostics into one string before the last edge,
// and never holds attribute values.
package diagnostic
