// Package sdkv2 is the example provider written with terraform-plugin-sdk/v2, for
// protocol 5. Its list resources, which that SDK does not support, are added to its server.
//
// In: a release. Out: a provider, or its server for linking it into a program. It
// uses the cloud only through package client.
//
// The files correspond to those of the same names in package framework.
package sdkv2
