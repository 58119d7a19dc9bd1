// Package e2e tests Landbridge from a user's view, with a real API server, real
// providers, the example manifests, and providers that misbehave. Tests of the
// command run the controller as a separate process. All others run it in the
// test's process, so that the race detector covers it. Tests check only
// Kubernetes objects and remote objects. The package exports nothing.
package e2e
