// Package memory keeps a long-lived process small.
//
// In: nothing. Out: less resident memory. It does not know what the process does, and changes only
// the garbage collector's pace and which pages are resident.
package memory
