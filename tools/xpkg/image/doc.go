// Package image assembles container images from scratch, without a container runtime and without a
// base image.
//
// In: a statically linked program for each platform, and a version. Out: an OCI image index, the
// same for the same input: no clock, no file of this machine and no random number is in it. It
// never uses the network, except Push.
package image
