// Package ownership decides which custom resource owns a remote object.
//
// In: for each resource, its claims on objects with their strengths. Out: whether another resource
// takes precedence, and which resources have to be reconciled because that changed. At most one
// resource at a time may write to an object.
//
// The owner of an object is, in this order: the resource whose operation on it is running; one that
// holds it, because it is stored or was imported; one that may have made it; one that wants to make
// it. A record of an earlier resource of the same name counts less than what another resource knows
// itself. Among equals it is the older resource. Creation times have a resolution of seconds; among
// resources of the same age it is the one that claimed the object first. After a restart the owner
// is the same, once all records were claimed again.
//
// Everything is in memory, and the cost of a query does not depend on the number of resources. Only
// a change of the owner costs in proportion to the number of claims on that object. It never calls
// anything. When a resource claims is the scheduler's (claims.go there). What it claims follows
// from its record and its request (claiming.go, contained.go), and so does how its objects are
// named: after they were seen (keys.go), and before (naming.go, handle.go).
//
// # Who owns an object, and when that is known
//
// The status of a resource never decides. Before it writes, a resource claims the stored identity
// of its object, the identity that it imports, the one that a create or a replacement will have if
// that is known beforehand, and the one that an update changes it to.
//
// Provider configurations with the same content are one account, and so are those that declare the
// same one. Contents are compared by a hash with a key of the process, since the index lives as
// long. A resource claims its objects by the name of its configuration, too: while credentials
// change, some resources have been reconciled with the new ones and others have not.
//
// The account of an object is stored with it (instance.Account), so a resource keeps to it when its
// configuration changes (accounts). internal/scheduler/account.go decides, before anything is
// claimed in another account or asked of a provider. The hashes have the key of the installation's
// plans, since they outlive the process.
//
// Age decides only within a namespace: an import never takes an object from a resource of another
// namespace, even if that is younger.
//
// The other one has Synced=False, reason IdentityConflict, with the owner's name if that is in the
// same namespace. It does not call the provider, and deleting it deletes nothing but the custom
// resource. If the owner is only about to make the object, the deletion waits until that has ended.
// It is reconciled when the owner is gone, or has another object. If the stored states of two
// resources name the same object, as after one of them was restored from an old backup, neither
// destroys it, also not for a replacement, until the other one is gone or has another object.
// Resources that may only observe own nothing. One that observes an object of another namespace has
// the same condition, and nothing of the object: no status.atProvider, identity or connection
// details. For types without an identity schema, equal ids suffice for that. After a start, nothing
// is imported, and nothing is told of objects that are only observed, before the claims are
// complete. After a start, the stored objects of all resources of a kind, paused ones included, are
// claimed before anything is written for one of them; reading is possible meanwhile. The records of
// a kind are listed in pages for that, by a label of their Secrets; a listed record is used once,
// and only if this process has neither read nor written it before (store.Secrets.Each). Reconciles
// wait for that, for ten seconds at most.
//
// Some writes wait for less. The create of an object that nothing identifies beforehand waits for
// nothing. For any other write, it suffices that the objects of those resources are claimed whose
// records may name one of the objects that this resource claims (managed/rivals.go). Each record
// tells in labels of its Secret which objects it names (store.Objects): a hash of the type and the
// identity of each, or that there may be any. Records whose labels follow from other rules, as
// before an upgrade of the provider, may name any object. Such records are found with three
// requests, and with more than a few of them the write waits for all as before. So new and changed
// resources are reconciled as the API server sends them, before the cache has all (turns/early.go);
// those that are newer than the checkpoint come first (informer.Early). All this adds less than a
// microsecond to the check of a resource and no allocation, with ten resources as with ten thousand
// (go test -bench . ./internal/scheduler/...).
//
// The objects of an instance of a module are claimed one by one. Their identities are stored with
// the module's state, since not every program stores them, and with the journal of an operation; a
// plan has those that it creates or imports (internal/terraform/module/objects.go). Any type can be
// in a module. So after a start, and when an account comes to a shard, an import waits for the
// claims of all kinds, and so does whatever is written for a module. Whatever is written for other
// resources waits for those of modules.
//
// If one object of an instance of a module belongs to another resource while the instance is being
// deleted, none of its objects is destroyed. The instance stays, with the reason IdentityConflict,
// until that resource is gone, or until spec.managementPolicies let all its objects stay.
//
// Without an identity schema, the id of an object need not be unique: that of every random_password
// is none. Such ids never cause a conflict between objects that resources have created. A
// spec.import.id that another resource has does.
//
// An identity schema also prevents unrequested adoption. Before a create whose identity is known,
// Landbridge looks the object up. If it exists it is left alone, with reason AlreadyExists and, in
// the message, the spec.import that adopts it.
package ownership
