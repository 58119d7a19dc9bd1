// Package playgroundtest gives tests a real Kubernetes API server.
//
// In goes nothing; out comes a kubeconfig and a client configuration of a
// cluster administrator. The server is bin/playground, started as a child
// process (and built first, if need be), so that test binaries do not link
// Kubernetes. Tests of one package share a server unless they ask for one of
// their own. A test never gets a fake, and fails where it cannot get a server.
package playgroundtest
