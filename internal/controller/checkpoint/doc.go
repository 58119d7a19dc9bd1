// Package checkpoint keeps the marks of resources at rest (scheduler.Mark) beyond the end of a
// process, so that the next one need not plan all of them again when it starts.
//
// In: the marks of this process, and the Secrets of Landbridge's own namespace. Out: whether an
// earlier process has left a mark. A mark stays true whatever happens, so it does not matter which
// process has written it and when, and nothing is lost with the Secrets but processor time.
//
// It never reads or writes anything else, and nothing waits for its writes.
package checkpoint
