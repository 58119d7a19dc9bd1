// Package references resolves references between managed resources: those in spec.references, and
// the references and selectors beside fields. Both become References, and edges of the Graph.
//
// In: a resource and the resources it refers to. Out: the resource with its fields set, or a
// description of what is missing; and the Graph of all references, by which a resource is destroyed
// after those that refer to it, and woken when what it waits for changes.
//
// It reads only kinds that are served here, never Secrets, and from other namespaces only resources
// that permit it by annotation. It writes nothing.
package references
