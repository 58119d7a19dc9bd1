// Package shard decides which replica holds which shard, and which shard a provider configuration
// belongs to, or each resource type of one.
//
// In: the replicas that live, the shards, and the accounts of provider configurations. Out: who
// should hold a shard, and the table of configurations. It reads no clock and no cluster, and never
// starts or stops anything.
package shard
