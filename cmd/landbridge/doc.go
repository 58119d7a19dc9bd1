// Command landbridge serves Terraform providers as Kubernetes APIs, and answers questions about
// them without a cluster.
//
// In: flags and arguments. Out: text for people, or YAML and JSON
// for programs, on standard output; everything else goes to standard error. The commands are thin:
// what they do is in the packages below.
package main
