// Package e2e tests Landbridge as users meet it: a real API server, real
// providers, the example manifests, and providers that misbehave. The
// controller is a process of its own where the command is what is tested, and
// runs in the test's process elsewhere, so that the race detector sees it. The
// tests look at Kubernetes objects and at remote objects alone. The package
// holds no code for others.
package e2e
