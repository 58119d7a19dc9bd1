// Package configure applies provider configurations to a cluster, for the command line.
//
// In: manifests of ProviderConfigs and ClusterProviderConfigs, and a client with a user's
// permissions. Out: the same objects in the cluster, as soon as their providers are installed. It
// applies nothing else, and reads no Secrets.
package configure
