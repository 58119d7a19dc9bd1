// Package leaktest counts what a process and its values hold, so that tests can compare that before
// and after many operations.
//
// In: a value. Out: numbers by what is counted. It never judges them.
package leaktest
