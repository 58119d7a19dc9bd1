// Package instance is what Landbridge remembers of one remote object between operations.
//
// In and out: Instance, a value, and its versioned JSON encoding, which holds all that an
// instance of Terraform's state format v4 holds. It never talks to a provider, and never
// interprets private bytes.
package instance
