// Package brake holds destroys when there are too many of them within a minute: a wrong prune, or
// an emptied generator, can destroy an estate in less.
//
// In: the destroys that are about to begin, and those that have begun, with their times. Out:
// whether one may begin. It is a decision in memory: it reads no clock, and never destroys, stores
// or wakes anything.
//
//	below the limit ── the limit is reached ──▶ held ── released, or nothing is left that waits ──▶ below the limit
//
// A namespace that reaches the limit has its own rest held. The destroys of all namespaces are
// added, too, which holds the rest of the account; there each counts for half of the limit at most,
// so that one alone does not hold those of others.
//
// It is no limit of a rate: what waits goes on only when it is released. A destroy counts from its
// reservation until a minute after it has begun, so that in no minute there are
// more than the limit of one namespace, and one and a half times as many of all. Each shard has a
// Brake, so that an account that is divided by kind has several.
package brake
