// Package planted is a provider whose second release breaks each of its resource types in another
// way.
//
// In: the release, as the last byte of the program, and Counter in the environment. Out: a provider
// on a socket. Its objects exist in their states alone. It makes a request of the counter for each
// object that it is asked to apply or to read.
package planted
