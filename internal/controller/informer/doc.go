// Package informer starts to watch kinds whose CustomResourceDefinition has just been made or
// changed. In goes the manager's cache and a kind; when it returns, the objects that exist are
// in the cache. It never writes anything.
package informer
