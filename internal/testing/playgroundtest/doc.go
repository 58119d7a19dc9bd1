// Package playgroundtest gives tests a real Kubernetes API server.
//
// In: nothing. Out: a kubeconfig and a client configuration of a cluster
// administrator. The server is the program bin/playground, built if necessary
// and run as a child process, so that test binaries do not link Kubernetes.
// Tests of one package share a server unless they ask for one of their own.
// The server is never a fake; a test that cannot get one fails.
package playgroundtest
