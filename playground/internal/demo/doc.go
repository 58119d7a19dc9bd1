// Package demo shows Landbridge in a running cluster and checks every step: it
// installs real providers, applies resources, waits until they are ready,
// changes them, repairs drift, and deletes them.
//
// In: a client configuration, the example manifests and a directory for the
// files of the resources. Out: a text about each step, and an error at the
// first step that fails. It uses the Kubernetes API and these files as a user
// would. It never imports a package of Landbridge, nor its test support: the
// playground's module does not depend on the root module.
package demo
