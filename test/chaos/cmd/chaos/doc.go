// Command chaos injects faults into everything around Landbridge while it works, and reports what
// was lost. It runs package chaos.
//
//	go run ./test/chaos/cmd/chaos -ops 150 -seed 1
//
// If something was lost, it exits with 1 and prints where the logs are and how to repeat the run.
package main
