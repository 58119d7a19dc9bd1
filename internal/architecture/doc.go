// Package architecture holds tests of the project's shape: which package may
// import which, that every package says what it is for, and what the root
// module must never depend on. It reads the source tree and the go command's
// answers, and has no code for others.
package architecture
