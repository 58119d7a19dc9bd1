// Package frontdoor runs the pages that newcomers read first, as they would: command by command, in
// a fresh clone, with the real kubectl and helm, and without any path, flag or variable that a page
// does not give.
//
// In: the pages, and what `make` makes in the clone. Out: whether each command ends and prints as
// its page says, and a list of the commands that need what a test does not have (nodes, a published
// release), with how each of them was carried out. It skips no command: one that is neither run nor
// listed is an error.
package frontdoor
