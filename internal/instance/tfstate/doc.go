// Package tfstate reads and writes Terraform's state format v4 (contract § 4), so that
// objects can be imported from a state file and exported to one.
//
// In: the bytes of a state file, and the schemas of the resource types to read
// as values. Out: instances, and everything else in the file as it was. Reading and writing
// again loses nothing. It never upgrades a value, never decides what to do with an instance,
// and never opens a file.
package tfstate
