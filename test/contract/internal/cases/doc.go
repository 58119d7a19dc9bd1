// Package cases makes up the life of one resource instance: a schema, what its provider does
// wrong, and what its user wants, step by step.
//
// In goes a seed; out comes a Case, the same one each time. A Case is plain data: it can be
// saved, read back, and made smaller. It says nothing of how a provider or a client acts.
package cases
