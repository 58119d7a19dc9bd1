// Package upgrade previews a new version of a provider with a user's permissions.
//
// In: a cluster, and both versions of the provider, which run on this machine. Out: a report of
// package internal/upgrade. A plan of upgrades tells which newer versions there are, and what
// resources use that is deprecated in the installed one. A rollback tells which objects an earlier
// version can go on with.
package upgrade
