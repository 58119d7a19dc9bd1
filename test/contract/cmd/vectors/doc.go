// Command vectors runs the contract's test vectors and reports which of them pass.
// A vector is tested by every test or subtest whose name has its number. It passes if there
// is at least one such test and none of them fails or is skipped.
package main
