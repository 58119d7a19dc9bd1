// Package cases generates the life of one resource instance: a schema, and for each step the
// configuration and the faults of the provider.
//
// In: a seed. Out: a Case, the same one each time. A Case is plain data that can be saved, read and
// shrunk. It never contains behaviour of a provider or a client.
package cases
