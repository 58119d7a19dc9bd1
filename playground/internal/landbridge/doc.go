// Package landbridge runs Landbridge's controller as a child process. In go the
// binary, a kubeconfig and a provider mirror; out comes a process that ends when
// it is told to, and with its parent. It knows nothing of what the controller
// does.
package landbridge
