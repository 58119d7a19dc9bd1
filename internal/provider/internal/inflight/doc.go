// Package inflight counts the calls that are under way at a server, so that an end of it
// can wait for them.
//
// In: the beginning and end of each call. Out: whether a call may begin, and when none is
// under way any more. It never makes, cancels or looks into a call.
package inflight
