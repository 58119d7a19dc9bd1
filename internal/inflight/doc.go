// Package inflight counts calls in flight, so that their end can be waited for.
//
// In: the beginning and end of each call. Out: whether a call may begin, whether one is in flight,
// and when none is any more. It never makes, cancels or looks into a call.
package inflight
