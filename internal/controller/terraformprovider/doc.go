// Package terraformprovider installs providers into a cluster at run time.
//
// In: TerraformProvider objects. Out: the CRDs of the resource types they activate and of their
// provider configurations, and a running controller for each, by way of package kinds. Nothing is
// generated, built or restarted. Removing a provider or a type stops controllers and deletes the
// CRDs of kinds without objects; it never deletes a custom resource and never changes a remote
// object.
package terraformprovider
