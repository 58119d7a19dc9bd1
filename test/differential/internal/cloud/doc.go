// Package cloud is the remote system of the differential tests, and the providers that manage
// it: written on the bare protocol, with the plugin framework, and with the legacy SDK.
//
// In goes a Run: cases, each with a World of its own, and the step they are in. Providers answer
// by the case, the step and the request alone, never by how often they were asked; so two
// clients that ask the same are answered the same. All calls about resources are recorded.
package cloud
