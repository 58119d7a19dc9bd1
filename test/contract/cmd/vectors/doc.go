// Command vectors runs the contract's test vectors, V01 to V131, and says of each whether
// it passed. A vector is a test whose name, or whose subtest's name, starts with its number;
// it passes when there is at least one such test, and none of them fails or is skipped.
package main
