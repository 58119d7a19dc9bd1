// Package simulation runs the real scheduler, store and reconciler of managed resources, and the
// executor of modules, against a simulated API server and a simulated cloud, in virtual time, and
// checks from the outside that nothing is lost.
//
// In: a seed and a number of operations. Out: a Result with the violations of the invariants, and a
// trace of each. A schedule is one world: two controllers with a lease, or replicas that share the
// work by shards, users, and faults, until all operations are done and the faults have ended. The
// same choices always give the same trace.
//
// Every call of the API server and of the provider waits for the driver, which lets one continue at
// a time (driver.go). It may also let the call fail, lose its answer, or kill, suspend or replace
// the controller. All that depends on chance is drawn from one sequence of choices, so that a
// failing schedule can be had again, and shrunk (shrink.go).
//
// It never starts a process, opens a connection or waits for real time.
//
// # What is simulated
//
// Chaos with real processes finds what happens often. make simulate OPS=n SEED=s
// runs the real scheduler, store and reconciler, Crossplane's included, and
// the executor of modules, in virtual time against a simulated API server and a simulated cloud.
// Every call waits for a driver, which lets one continue at a time, refuses it, loses its answer,
// or ends, suspends or replaces the controller at that moment.
//
//   - Two controllers have a lease and clocks that differ; caches lag behind.
//   - The API server refuses Secrets that are too large for it. In some schedules, stored instances
//     are divided into small parts.
//   - The cloud is slow, fails halfway and throttles. In every other schedule it behaves in some of
//     the ways that docs/faults.md describes (behaviours.go): it shows objects late, or as they
//     were before; it shows other values than were set, and makes other objects than were planned;
//     it answers without an object, or with an error although it has succeeded; it refuses names,
//     deletions and further objects for a while. Those that change ids, skew clocks and expire
//     credentials are in make world only.
//   - A module's program answers as Terraform does, in the process. It can end at each step, also
//     while a provider works.
//   - Users edit, delete, taint, interrupt, remove finalizers, delete and restore stored instances,
//     and restore older ones from a backup.
//   - In every other schedule, nothing happens now and then until resources are at rest, and in the
//     end all of them are changed once more.
//
// After every step it checks from the outside that there is no duplicate, no orphan, no lost
// secret, nothing destroyed unasked and no second writer. In the end, nothing is stuck, and the
// controller remembers nothing of resources that are gone.
//
// With REPLICAS=3, that many replicas share the work of three to five shards, with the code of
// internal/controller/sharding: each runs a scheduler, a store and reconcilers for each shard that
// it holds. Replicas are killed, suspended beyond their leases, stopped, taken for dead while they
// live, and replaced by others; so shards are handed over in order or taken over. Resources get
// provider configurations of other shards, preferably while their objects are being changed;
// contents of configurations change, and configurations are declared to be of one account, and
// move. The same is checked for each shard, and that no two shards change objects of one resource
// at once, and none without its record. In every other schedule, configurations are divided by
// kind; that is switched on and off, modules use them, and resources take over the objects of
// others of another type. No object of a module may be changed while the types of its configuration
// have shards of their own. Changes of the number of shards, the end of entries, and the loss of
// the table, are not simulated. A test also moves a resource at each call of an operation.
//
// With SCHEDULES=brake, everything of one or two namespaces is deleted at once now and then, and
// the brake is released: no process destroys more within a minute than the limits, and none
// destroys what an earlier one has held. With SCHEDULES=approvals, resources have approval
// policies, and users approve plans as they see them, which may be outdated: whatever the cloud is
// asked for must be in an approved plan (make plans runs it). For a while, no provider can be
// started. With -lists, objects are looked at by listing. With SCHEDULES=references, resources
// refer to each other, and their objects are replaced: no object is destroyed while one that refers
// to it is being changed, none is written with the id of a destroyed one, and none is destroyed for
// another one unless a policy or an approval allows it.
//
// With SCHEDULES=accounts, the cloud has two accounts, in which objects have the same names and
// ids, and some are strangers'. Resources are given other provider configurations, whose endpoints
// and other arguments are edited, and which are deleted and created again. Users confirm accounts,
// or go back. No stranger's object may be changed or destroyed, and each own object is found in the
// account of its resource, or was left there by a confirmation. Replicas may share the work; then
// these are the only configurations, and none is divided by kind. Some resources then have objects
// of others, through configurations of other shards, and are deleted: no object is destroyed while
// its first resource has it.
//
// With SCHEDULES=triggers, resources have actions invoked before and after changes of their objects
// (spec.actions). An action ends by chance, well or not, or with an unknown outcome, and users
// delete those that have failed. No change is requested of the cloud before what precedes it has
// ended, no action is invoked again for a change unless it has failed, and none that follows a
// change is lost.
//
// With SCHEDULES=versions, the provider's version is switched to and fro, also while objects are
// changed. The earlier version goes on with each object that it has known and that nothing was
// begun to change since, and the others stay as they are until the later one runs again.
//
// With SCHEDULES=unmanaged, package unmanaged simulates actions, ephemeral resources and data
// sources instead.
//
// The same seed has the same trace. -schedule prints the trace of one schedule; -shrink makes a
// failing one short, -keep writes it to a file, and -replay tries it again. A test tries those in
// test/simulation/testdata, which showed a defect or a deliberate fault. What uses the command
// line without a module is not simulated.
//
// The tests measure that a former leader requests no change after its successor has begun: they
// suspend it for longer than its lease at every call of the provider and of the API server,
// natively in the simulation; with the command line and in modules at every call of the provider
// and every write of a module's journal (internal/testing/fencetest), with OpenTofu itself.
//
// make simulate-mutants makes deliberate faults, one at a time, and shows that the simulation finds
// them.
package simulation
