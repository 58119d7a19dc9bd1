// Package providerconfig resolves the providerConfigRef of a resource to a configured provider.
//
// In: a providerConfigRef. Out: a Handle, which leases a provider server that is configured
// accordingly. The ProviderConfig and ClusterProviderConfig kinds are typed by the provider's own
// configuration schema. Sensitive values come from Secrets, which are read from the API server,
// kept in memory only while the configuration is in use, and never logged. A finalizer keeps a
// configuration until the last resource that uses it is gone.
package providerconfig
