// Package clustertest is how tests work with a cluster: it runs Landbridge's
// controllers in one, creates and changes objects, and waits for what must
// become true of them.
//
// In: an API server of playgroundtest. Out: a Cluster, which is a client and
// methods that fail the test when something goes wrong. Waiting is always for
// a state and ends after Limit; a failed wait logs the object as it was last.
//
// It never creates a provider or a cloud: see providertest, examplecloudtest
// and hcloudtest. Objects are read with objecttest.
package clustertest
