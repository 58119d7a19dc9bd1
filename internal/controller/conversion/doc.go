// Package conversion lets a program serve its kinds in several API versions.
//
// In: the CustomResourceDefinitions in the cluster, which hold the schemas of all versions, and what the
// API server asks. Out: converted objects (package evolution), definitions that say where conversions are
// served and who vouches for it, and stored objects that are all of one version.
//
// Every replica of a program answers, whether it leads or not, and as soon as it runs: the watches of the
// program's own controllers need it. Nothing here knows what is in an object, and nothing of it is logged.
package conversion
