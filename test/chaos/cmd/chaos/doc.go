// Command chaos breaks everything around Landbridge while it works, and tells what was lost:
// package chaos on the command line.
//
//	go run ./test/chaos/cmd/chaos -ops 150 -seed 1
//
// It exits with 1 unless nothing was, and says then where its logs are and how to do the same again.
package main
