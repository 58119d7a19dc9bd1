// Package checksum returns checksums of open files.
//
// In: an open file. Out: the SHA-256 of its content, remembered as long as the kernel shows that
// the file has not changed. A caller that keeps the file open reads or runs what was checked. It
// never changes a file.
package checksum
