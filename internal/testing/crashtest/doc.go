// Package crashtest has processes that end at one of their writes.
//
// In: writes. Out: whether each is carried out. A process that has ended writes nothing more.
package crashtest
