// Package chart tests the Helm chart in deploy/chart without a cluster that runs containers.
//
// In: the chart, the image's programs, a Kubernetes API server (the playground) and runc. Out:
// whether every combination of values renders to objects that Kubernetes accepts, and whether the
// image runs as the chart says. It needs root, for runc.
package chart
