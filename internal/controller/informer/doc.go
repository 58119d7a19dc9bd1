// Package informer watches kinds of custom resources, whose CustomResourceDefinition may just have
// been created or changed.
//
// In: an API server and kinds. Out: the manager's cache, with all existing objects of a kind,
// packed. It never writes anything.
package informer
