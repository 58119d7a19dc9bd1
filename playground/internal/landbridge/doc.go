// Package landbridge runs Landbridge's controller, and the example cloud, as child processes.
//
// In: a program and its arguments. Out: a process that ends when it is told to, or with its parent.
// It never uses the API of what it runs.
package landbridge
