// Package golden compares what a test produces with a file in testdata. With -update it rewrites
// the file instead. It never fails a test for anything but a difference or an unreadable file.
package golden
