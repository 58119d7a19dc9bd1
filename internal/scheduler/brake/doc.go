// Package brake holds destroys when there are too many of them within a minute: a wrong prune, or
// an emptied generator, can destroy an estate in less.
//
// In: the destroys that are about to begin, and those that have begun, with their times. Out:
// whether one may begin. It is a decision in memory: it reads no clock, and never destroys, stores
// or wakes anything.
//
//	below the limit ── the limit is reached ──▶ held ── released, or nothing is left that waits ──▶ below the limit
//
// It is no limit of a rate: what waits goes on only when it is released. A destroy counts from its
// reservation until a minute after it has begun, so that there are never more than the limit in any
// minute.
package brake
