// Package terraformprovider installs providers into a cluster at run time.
//
// In: TerraformProvider objects. Out: the CRDs of the resource types they activate, and a
// running controller for each, and the kinds of their provider configurations. Nothing is
// generated, built or restarted. Taking a provider, or a type, away stops controllers and
// removes kinds nobody uses; it never deletes a custom resource and never touches a remote
// object.
//
// The same controllers serve the one provider that a program is made for (Packaged), without a
// TerraformProvider and with CRDs that somebody else installs.
package terraformprovider
