// Package memory keeps a long-lived process small.
//
// In: nothing. Out: less resident memory. It knows nothing of what the process does, and
// changes nothing but where pages are kept.
package memory
