// Package instance defines the stored state of one remote object.
//
// In and out: Instance, a value, and its versioned JSON encoding, which holds all that an
// instance of Terraform's state format v4 holds. It never talks to a provider, and never
// interprets private bytes.
package instance
