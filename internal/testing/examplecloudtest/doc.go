// Package examplecloudtest gives tests of the root module the example cloud and its providers.
//
// In: nothing. Out: the address of a cloud for one test, and the paths of the provider's binaries,
// one for each form. Both run as processes and are built if necessary: their module needs SDKs that
// the root module must not depend on, so nothing of it is ever linked.
package examplecloudtest
