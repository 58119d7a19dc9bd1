// Package health checks that tools compute the health of Landbridge's objects correctly: kstatus,
// which Flux and others use, Argo CD with the health checks in deploy/gitops, and Flux with the
// expressions there.
//
// In: a cluster with a real controller and test/e2e/testprovider, which are brought into each
// situation. Out: what each tool computes, compared with what a person would say. It never writes a
// status by hand.
package health
