// Package golden compares what tests make with files in testdata, which -update writes anew. It is
// for tests alone.
package golden
