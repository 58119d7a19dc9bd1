// Package archive writes archives and checksums of a release.
//
// In: files, a time, and a private key if there is one. Out: archives, checksums and a signature
// that are the same for the same input. It reads no clock.
package archive
