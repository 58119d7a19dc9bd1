// Package tfstate reads and writes Terraform's state format v4 (contract § 4), so that
// objects can be taken over from a state file and given back to one.
//
// In: the bytes of a state file, and the schemas of the resource types that are to be read
// as values. Out: instances, and everything else in the file as it was. Reading and writing
// again loses nothing. It never upgrades a value, never decides what an instance is worth,
// and never follows a file's path.
package tfstate
