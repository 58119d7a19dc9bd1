// Package clustertest runs Landbridge's controllers in a cluster for tests,
// creates and changes objects, and waits until they are in the expected state.
//
// In: an API server of playgroundtest. Out: a Cluster, which is a client and
// methods that fail the test when something goes wrong. Waiting is always for
// a state and ends after waittest.Limit; a failed wait logs the object as it was last.
//
// It never creates a provider or a cloud: see providertest, examplecloudtest
// and hcloudtest. Objects are read with objecttest.
package clustertest
