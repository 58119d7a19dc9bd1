// Package sharding is what replicas that share the work know of each other: which of them live, and
// which shard each provider configuration belongs to.
//
// In: Leases of replicas, and the Secret with the table of provider configurations. Out: the
// replicas that live, and for the controllers of one shard whether they work on a resource. Package
// shard decides; this package reads and writes what the replicas have in common. It never starts or
// stops a controller, and never decides who holds a shard.
package sharding
