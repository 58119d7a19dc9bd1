// Package sdkv2 is the example provider written with terraform-plugin-sdk/v2, for
// protocol 5, with its list resources, which that SDK does not have, beside it.
//
// In goes a release; out comes a provider, or its server for linking it into a
// program. It speaks to the cloud through package client only.
//
// The files show the same things as those of the same names in package framework.
package sdkv2
