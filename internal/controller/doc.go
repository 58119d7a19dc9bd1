// Package controller runs all controllers as one program.
//
// In: a cluster and Options. Out: Run, which works until its context is done and then stops in order: it starts no new
// operations, tells providers to stop, and waits for their answers and records them. The packages below have the
// controllers; this one never reads or writes a resource.
package controller
