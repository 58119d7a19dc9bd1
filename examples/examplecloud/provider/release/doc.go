// Package release says which release of the example provider a program is: the
// identity schema of examplecloud_volume and its siblings went from none through
// versions 0 and 1 to 2, and their state schemas through 0 and 1 to 2.
//
// In goes $EXAMPLECLOUD_PROVIDER_VERSION, or what the linker set; out comes a Release.
package release
