// Package diagnostic defines the errors and warnings of a provider, or of Landbridge
// on its behalf: severity, summary, detail, and the attribute they refer to.
//
// In: the diagnostics of the plugin protocol. Out: the same four facts, with the
// attribute as a cty.Path, up to conditions, events and the command line. It
// never joins diagnostics into one string earlier than that, and never holds
// attribute values.
package diagnostic
