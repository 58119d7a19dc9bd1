// Package settling tells whether an object settles: whether its plan is empty after an apply.
//
// In: what an object is made from, what the last apply has left of it, what the record counts, and
// a plan. Out: what the plan repeats, whether it is carried out, waits or is refused, and what is
// counted after it. It never calls a provider or stores anything.
package settling
