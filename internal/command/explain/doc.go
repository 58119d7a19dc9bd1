// Package explain says why an object is not ready: the chain from it over its references, its
// provider configuration, its provider and the controller to the cause, what happened when, and the
// one command that helps.
//
// In: an object's kind and name, and a cluster, of which Reader takes a Snapshot. Out: an
// Explanation, made of the Snapshot alone by Explain, and its text. It reads what the user may
// read, and says what it could not read. It never changes anything, and never reads the values of
// Secrets.
package explain
