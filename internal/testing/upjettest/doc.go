// Package upjettest makes CRDs and objects as providers have them that Crossplane's Upjet has
// generated, for tests of migrations.
//
// In: the schema of a provider, and attributes of an object as Terraform's state has them. Out: the
// CRDs of a provider with cluster-scoped kinds (Upjet v1) or with kinds in namespaces (v2), and the
// managed resource that such a provider leaves, with its connection Secret. It never runs Upjet,
// whose module cannot be had from the proxy of Go modules everywhere: it follows its rules, which
// are next to what implements them, and were compared with published CRDs of providers for hcloud.
package upjettest
