// Package discovery lists remote objects and their owners.
//
// In: a configured provider server, resource types with the arguments of their list resources, and
// the owners of objects (Owner). Out: the objects, by identity.
//
// A provider lists what its API lists for the configured account, so an object that is not listed
// may still exist. The package never creates, changes, imports or reads an object.
package discovery
