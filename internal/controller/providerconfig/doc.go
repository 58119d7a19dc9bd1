// Package providerconfig finds the configured provider that a resource is to be managed with.
//
// In: a providerConfigRef. Out: a Handle, with which the scheduler gets hold of a server
// configured so. The ProviderConfig and ClusterProviderConfig kinds are typed by the
// provider's own configuration schema; sensitive values come from Secrets, which are read from
// the API server, kept in memory only as long as the configuration is in use, and never logged.
// A configuration that resources use is held by a finalizer until the last of them is gone.
package providerconfig
