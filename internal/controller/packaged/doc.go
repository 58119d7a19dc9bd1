// Package packaged serves the kinds of the one provider that a program is made for.
//
// In: the provider and its configuration, and CRDs that a package manager such as Crossplane
// installs. Out: a running controller for each kind from when its CRD exists until it is deleted,
// which Crossplane calls a safe start. There is no TerraformProvider. It never creates or deletes a
// CRD.
package packaged
