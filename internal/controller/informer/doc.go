// Package informer watches kinds whose CustomResourceDefinition was just created or changed.
//
// In: the manager's cache and a kind. Out: a watch, and all existing objects in the cache. It never writes anything.
package informer
