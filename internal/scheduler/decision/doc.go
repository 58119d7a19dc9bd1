// Package decision decides what the scheduler does next with one resource.
//
// In: a snapshot of everything that a decision depends on (ObserveInput, ApplyInput, DeleteInput,
// LookInput). Out: the next step, and for a refusal its reason and message. Everything is a pure
// function: nothing here calls, waits, remembers, or knows the time.
//
// Observe, Apply and Delete each have a list of rules in the order of their precedence, and the
// first rule that applies decides. A rule is one function. It returns the step and whether it
// applies, so its condition, its deed and its message are in one place. To add one, write the
// function, give it its place in the list, and add a case to the tests, which fail for a rule
// without one.
//
// Observe decides again after each deed until one of them answers. This terminates: each deed
// either answers or prevents its own rule from applying again in the same call. The exception is
// Read, which repeats when a deposed object takes the place of one that is gone, at most once for
// each deposed object.
package decision
