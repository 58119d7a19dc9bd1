// Package demo tells Landbridge's story against a running cluster and checks
// that every step of it holds: real providers are installed, resources are
// applied, become ready, are changed, drift and are repaired, and are deleted.
//
// In go a client configuration, the example manifests and a directory to make
// files in; out comes what happened, as text, and an error at the first step
// that does not hold. It uses nothing but the Kubernetes API and the files that
// the resources are, as any user would, and knows no package of Landbridge's.
package demo
