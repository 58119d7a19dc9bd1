// Package ownership decides which custom resource owns a remote object.
//
// In: for each resource, its claims on objects with their strengths. Out: whether another resource
// takes precedence, and which resources have to be reconciled because that changed. At most one
// resource at a time may write to an object.
//
// The owner of an object is, in this order: the resource whose operation on it is running; one that
// holds it, because it is stored or was imported; one that may have made it; one that wants to make
// it. A record of an earlier resource of the same name counts less than what another resource knows
// itself. Among equals it is the older resource. Creation times have a resolution of seconds; among
// resources of the same age it is the one that claimed the object first. After a restart the owner
// is the same, once all records were claimed again.
//
// Everything is in memory, and the cost of a query does not depend on the number of resources. Only
// a change of the owner costs in proportion to the number of claims on that object. It never calls
// anything, and does not know providers or the meaning of identities.
package ownership
