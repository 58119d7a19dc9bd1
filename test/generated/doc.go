// Command generated makes the repositories of several providers with landbridge init, builds and tests
// each, and runs its program in a cluster.
//
// In: providers as their authors released them, and manifests that mean something to their clouds;
// nothing else is told of any of their resource types. Out: a line for each repository, and the status
// of the process. The repositories' own Makefiles do the work, so that what is tried is what their
// authors would do.
package main
