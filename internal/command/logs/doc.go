// Package logs selects what a controller's log says of one object: its operations, and what the
// provider logged meanwhile.
//
// In: lines of the log, which are JSON. Out: lines for people. It reads no files and no cluster,
// and remembers a bounded number of lines.
package logs
