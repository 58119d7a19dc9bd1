// Package keyed makes keyed hashes of what may be secret.
//
// In: a key of the installation, and configurations, values and instances. Out: texts that tell
// whether two of them are the same. It never returns anything from which a value can be guessed
// without the key.
package keyed
