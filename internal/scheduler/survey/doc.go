// Package survey tells of many objects at once whether they are as they are stored.
//
// In: lists of the objects of a type, and the stored state of an object. Out: whether the latest
// list shows the object so. It keeps digests and no values, and never decides whether an object is
// listed or read.
package survey
