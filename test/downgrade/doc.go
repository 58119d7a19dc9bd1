// Package downgrade tries that the release before this one and this checkout understand what the
// other has stored.
//
// In: the commit or tag of the former release, which the file former names. Its program is built
// from the history. In a cluster, the two programs take turns as the controller of the same
// resources: the former one, this one, the former one, the former one with its own manifests
// applied again, and this one. Each operates on all resources, and is killed while it creates,
// changes and destroys objects, so that the next one has to finish that. Out: which objects or
// values were lost, which objects exist twice, and which writes were not asked for, by the cloud's
// own record.
package downgrade
