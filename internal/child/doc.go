// Package child starts child processes that leave nothing behind: each leads a process group of its
// own, and is killed when this program ends (on Linux; elsewhere processes start as usual).
// StartIn also restricts what a child can do with files (with Landlock, which needs no privileges).
//
// In: a command that is ready to be started. Out: the running child. It never waits for it, and
// reads none of its output.
package child
