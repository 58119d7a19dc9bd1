// Package provider has the example provider in each of its forms, for linking it into
// a program: SDKv2, and the plugin framework on protocols 5 and 6.
//
// In: a form and a release. Out: a server of protocol 6; servers of protocol 5 are
// lifted to it. Programs that need only one form, or protocol 5, import packages sdkv2
// and framework directly.
package provider
