// Package provider has the example provider in each of its forms, for linking it into
// a program: SDKv2, and the plugin framework on protocols 5 and 6.
//
// In goes a form and a release; out comes a server that speaks protocol 6, as servers
// of protocol 5 can be lifted to it. Programs that want exactly one form, or protocol
// 5 as it is, import packages sdkv2 and framework themselves.
package provider
