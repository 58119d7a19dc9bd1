// Package wireprovider is a provider that speaks protocol 6.11 by its messages, since no SDK has
// all of it: it keeps what it plans in private bytes, and its resource type has a computed block.
//
// In: the environment of Env, in a program that calls Main. Out: a provider on a socket. It manages
// nothing: its objects exist in their states alone.
package wireprovider
