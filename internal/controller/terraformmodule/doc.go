// Package terraformmodule makes kinds of Terraform modules at run time.
//
// In: TerraformModule objects. Out: for each a CRD, typed by the module's variables and outputs, and a running
// controller of its instances, which are managed resources as those of providers are. The providers are those
// of TerraformProviders, configured by their provider configurations. Taking a module away waits for its
// instances; it never deletes a custom resource and never touches a remote object.
package terraformmodule
