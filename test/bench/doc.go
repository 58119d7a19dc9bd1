// Command bench measures Landbridge's cost and latency with real components on one machine: the
// playground's API server, the controller, and a released provider. It also compares the three ways
// of execution with the bare calls of a provider.
//
// Out: one JSON object per figure, {"name", "value", "unit", "ratio_to"}, and with -write the table
// in docs/performance.md. A figure that exceeds its bound ends the run with exit code 1. It is not
// a test of correctness.
package main
