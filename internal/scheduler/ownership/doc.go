// Package ownership knows which custom resource a remote object belongs to.
//
// In: for each resource, the objects that it is about, and how strong its claim on each is.
// Out: whether another resource comes first, and who has to look again because that changed.
// At most one resource at a time may write to an object.
//
// An object's owner is, in this order: the resource whose operation on it is under way; one
// that holds it, because it is stored, or was imported; one that may have made it; one that
// wants to make it. Among equals it is the older one. Creation times have seconds, so that of
// two of the same age it is the one that claimed it first. The answer is the same after a
// restart, as soon as all that is stored was claimed again.
//
// All of it is in memory and each question costs the same however many resources there are;
// what depends on how many want the same object is paid only when that object changes hands.
// It never asks anybody, and knows nothing of providers or of what identities mean.
package ownership
