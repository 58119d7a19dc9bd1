// Package release has the releases of the example provider. Across them, the identity
// schema of examplecloud_volume and similar types goes from none through versions 0
// and 1 to 2, and their state schemas from 0 through 1 to 2.
//
// In: $EXAMPLECLOUD_PROVIDER_VERSION, or the value set by the linker. Out: a Release.
package release
