// Package stream writes the output of commands while it arrives.
//
// In: the lines of a table, or the elements of a list. Out: text, JSON or YAML. It keeps nothing
// that is written, so memory does not grow with the output. It never interprets what it writes.
package stream
