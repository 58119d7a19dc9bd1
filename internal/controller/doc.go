// Package controller runs all controllers as one program.
//
// In: a cluster and Options. Out: Run, which works until its context is done and then stops in
// order: it starts no new operations, tells providers to stop, and waits for their answers and
// records them. The packages below have the controllers; this one never reads or writes a resource.
//
// A process (process.go) runs the controllers (controllers.go) of each shard that it holds. If the
// work is divided, shards.go takes shards and gives them up as replicas come and go. If it is not,
// the process has shard 0 alone.
package controller
