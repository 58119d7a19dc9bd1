package status

// AdoptionOf is adopt.
var AdoptionOf = adopt

// InvocationOf is invocationOf.
var InvocationOf = invocationOf

// Since is Invocation.since.
func Since(before, now Invocation) []string { return now.since(before) }
