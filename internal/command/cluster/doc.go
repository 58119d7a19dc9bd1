// Package cluster is a cluster with Landbridge in it, as seen from outside of its controllers.
//
// In: a client with a user's rights, and where provider binaries are. Out: the providers that
// TerraformProviders name, as they are presented there, their configurations with the Secrets
// they refer to, and who manages which remote objects. It only reads, runs no controller, and
// keeps nothing.
package cluster
