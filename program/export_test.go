package program

import "io"

// LevelWriter returns the writer of Go's standard log with a level.
func LevelWriter(level string, w io.Writer) io.Writer { return &levelWriter{least: rank(level), w: w} }
