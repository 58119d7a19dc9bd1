// Package cluster reads what Landbridge's controllers have in a cluster, for the command line.
//
// In: a client with a user's permissions, and the location of provider binaries. Out: the models of
// TerraformProviders, their configurations with the Secrets that they refer to, and the owners of
// remote objects. It never writes, runs no controller, and holds no state.
package cluster
