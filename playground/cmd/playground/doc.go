// Command playground runs a Kubernetes control plane on this machine, from one
// binary and with nothing else installed: alone (serve), with Landbridge's
// controller and example providers (up), or as a guided tour that checks itself
// (demo).
package main
