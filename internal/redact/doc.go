// Package redact keeps secrets out of what people read.
//
// In: secrets, and texts that may quote them. Out: the texts without. It never writes
// anything down, and never returns what it was given to keep.
package redact
