// Package trigger decides which actions the change of a resource's object invokes, and when.
//
// In: the triggers of a resource (spec.actions), the change that its object needs, the Round that
// is stored in its status, and what the scheduler's record tells of the operations of the round.
// Out: the invocation that comes next, or that the operation may begin.
//
// The actions that one change invokes are a Round. It is stored before the first of them is
// invoked, and each step of it is stored before the next. What is invoked is an object, whose name
// follows from the round: it exists once, whatever ends in between.
//
//	Before ── invocations, one after the other ──▶ operations of the change ──▶ After ──▶ Complete
//
// The package has no state, and calls neither Kubernetes nor a provider.
package trigger
