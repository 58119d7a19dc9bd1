// Package slots divides a number of slots among owners, such as namespaces.
//
// In: requests for a slot, each of an owner. Out: when one may go on. An owner alone may have all
// slots. Who has none gets one at once, also beyond the number, up to half as many more: one owner
// whose work hangs does not have others wait. The owner that has the fewest is next, and among
// several, the one that waits longest.
//
// It never ends anything, and knows nothing of what is done meanwhile.
package slots
