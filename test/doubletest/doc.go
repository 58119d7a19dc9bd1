// Package doubletest installs the provider in test/e2e/testprovider, which misbehaves on request,
// and tells it what to do.
//
// In: a directory, and the environment of the provider's process. Out: a TerraformProvider for it;
// its remote objects, which can be read and changed; and the calls that it got. It never creates
// anything in a cluster.
package doubletest
