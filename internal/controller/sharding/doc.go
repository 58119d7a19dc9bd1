// Package sharding is what replicas that share the work know of each other: which of them live, and
// which shard each provider configuration belongs to.
//
// In: Leases of replicas, and the Secret with the table of provider configurations. Out: the
// replicas that live, and for the controllers of one shard whether they work on a resource. Package
// shard decides; this package reads and writes what the replicas have in common. It never starts or
// stops a controller, and never decides who holds a shard.
//
// # How work is divided
//
// With --shards=N, each of N shards is like a controller of its own: it has a lease, a scheduler, a
// memory of owners, caches and provider processes. A replica runs the controllers of the shards
// that it holds. What hands a shard over is what hands a controller over: it stops in order, and
// another process starts as after a crash.
//
//   - Who holds a shard. Each replica has a Lease by which others see that it lives. Rendezvous
//     hashing of shards over the living replicas (internal/controller/shard) says who should hold
//     each shard. That is a preference only: who works is decided by the shard's lease, and each
//     write and each change is fenced by it.
//   - Where a provider configuration belongs is in a table that all replicas share (the Secret
//     landbridge-shards), changed by compare-and-swap only. Configurations of one account, by
//     content or declared, are in one shard, so that ownership is decided in one memory. Contents
//     are compared by keyed hashes. A new configuration goes to the shard with the fewest.
//     Configurations that the instance of a module uses together are in one shard, too.
//   - A very large account can be split by resource type: each type has a shard, if the annotations
//     of all configurations of the account ask for it. What is placed is then a configuration with
//     a resource type. Claims of objects are made by account and type (ownership.Object), so
//     resources of different types never conflict, whatever their providers and groups are; that is
//     why the type of Terraform counts, and not the kind. A type that is placed for one
//     configuration is placed for all of its account. The table has the decision, and the
//     annotation only asks for it: the shard of the configuration itself writes it there. So
//     switching it on or off is a change of the table like any other.
//   - Where types can conflict, they are together. The instance of a module may have objects of any
//     type. It is not worked on before the table has its configurations as whole, which is for good
//     and puts an account together, and before the objects of all kinds with configurations of the
//     account are claimed in its shard. A resource that takes over the object of another one uses
//     the type and the configuration of both, and is not worked on before both are in one shard,
//     for good: types in a group of types, configurations of several accounts in a group of
//     configurations. If that one was interrupted, and the resource was created again in another
//     shard, the other resource gets its object back, after late writes to the record of the first
//     were made to fail. References need none of this: they are read from the API server, and each
//     shard has the references of all resources, as they are now.
//   - A configuration whose content changes is not used until the table has its new account. If
//     that is the account of a configuration in another shard, one of both moves. A shard works
//     with a configuration only when the objects of all resources with configurations of its
//     account are claimed there.
//   - A resource that moves, because its configuration did or because it refers to another one, is
//     handed over by its record. Each record names the shard that wrote it. No other shard uses it
//     until that shard has let it go, which it does when no operation runs. If that shard's replica
//     died, the next holder of the shard does. Before the first record of a resource, a shard
//     stores an empty one, and asks the API server whether the resource is still its own and not
//     being deleted. A shard that found no record looks once more before it releases a resource.
//   - What is not of one shard (CRDs, providers' status, roles, policies, the webhook) is done by
//     the holder of the first shard. The controllers of other shards have the same code, with dry
//     runs instead of these writes.
//   - Changes of N. All replicas with shards hold the lease that a single controller holds,
//     together, under a name that has N in it. So no other controller works with another N, or on
//     everything, before the last of them has ended. The name has the format of the table, too: a
//     program that knows no types would read the shard of a configuration that is placed by type as
//     that of all its resources. When it works alone, that is what it does, and takes them over by
//     their records.
//
// Two replicas can see a change of the table at slightly different times. The journal excludes a
// second operation on a resource meanwhile. What one of them imports in this moment, the other does
// not know yet: if the contents of two configurations become equal, and in the same moment a
// resource of each imports the same object, both get it, and the conflict is reported afterwards.
// The same holds for the instance of a module, and a resource that is created in the moment in
// which the account comes together, if its shard does not know that yet.
package sharding
