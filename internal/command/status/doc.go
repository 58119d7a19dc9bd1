// Package status is what the command line does with managed resources in a cluster: it shows
// how they are, and asks the controller to do something about one.
//
// In: a cluster, the names of kinds and resources. Out: rows (Row), once or whenever one
// changes, and the answer to what was asked. Everything is read from the resources' status and
// asked by annotations of theirs, so that the same can be done with kubectl or GitOps; it needs
// the rights on the resources alone. It never talks to a provider, and never writes anything
// but those annotations.
package status
