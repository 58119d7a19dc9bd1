// Package cloud is a remote system in memory and the providers that manage it: written on the bare
// protocol, with the plugin framework, and with the legacy SDK. The differential tests and the
// contract's test vectors share it.
//
// In: a Run, which is cases, each with its schemas, the step it is in and a World of its own. A
// case either leaves the provider's choices to its seed, or makes them itself (Plain and Chosen).
// Out: provider servers, and a record of the calls about resources.
//
// Providers answer by the case, the step and the request alone, never by how often they were asked.
// So two clients that ask the same get the same answers.
package cloud
