// Command generated creates repositories for several providers with landbridge init, builds and
// tests each, and runs its program in a cluster.
//
// In: released providers, and manifests that are valid for their clouds; it has no other knowledge
// of their resource types. Out: a line for each repository, and the exit code. It uses the
// repositories' Makefiles, as their authors would.
package main
