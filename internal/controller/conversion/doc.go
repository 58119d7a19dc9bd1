// Package conversion serves a program's kinds in several API versions.
//
// In: the CustomResourceDefinitions in the cluster, which have the schemas of all versions, and
// ConversionReviews of the API server. Out: converted objects (package evolution), definitions that
// specify the webhook and its certificate authorities, and stored objects that all have the same
// version.
//
// Every replica of a program serves conversions from its start, whether it leads or not: the
// watches of the program's own controllers need them. The content of objects is never logged.
package conversion
