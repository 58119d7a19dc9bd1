// Package chart renders Landbridge's Helm chart, and makes what is made of it.
//
// In: the directory deploy/chart, and values. Out: manifests, and the chart as an archive that is
// the same for the same files. It reads no cluster and writes to none.
package chart
