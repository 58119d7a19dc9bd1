// Package version reports which version of Landbridge a program was built from.
//
// In: what the linker and the go command record in the program. Out: one string. It reads
// neither files nor the environment.
package version
