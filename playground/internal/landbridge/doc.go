// Package landbridge runs Landbridge's controller as a child process.
//
// In: the binary, a kubeconfig and a provider mirror. Out: a process that ends
// when it is told to, or with its parent. It never uses the controller's API.
package landbridge
