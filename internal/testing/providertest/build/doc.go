// Command build builds the named providers into the filesystem mirror
// bin/providers, or all of them, and prints the path of each.
package main
