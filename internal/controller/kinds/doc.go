// Package kinds serves kinds of managed resources at run time, for TerraformProviders,
// TerraformModules and programs made for one provider.
//
// In: models of resource types and configured providers. Out: CRDs, the controllers of the kinds
// and of their provider configurations, and the Registry, which finds the controller of a kind. It
// deletes a CRD only if no object of the kind exists; it never deletes a custom resource and never
// changes a remote object.
package kinds
