// Package references gives fields of managed resources values of others: by spec.references of the
// custom resource, and by the references and selectors beside its fields. Both come to the same
// Reference, and to the same edges of the Graph.
//
// In: a resource as it is in the cluster, and the resources it refers to. Out: the same with the
// fields filled in, or what is missing, in words for its user; and, of all resources together,
// which refer to which, so that what is referred to is destroyed last, and who waits for what.
//
// It only looks at kinds that are served here, never at Secrets, and in other namespaces only at
// what says that it may be referred to from there. It writes nothing.
package references
