// Package terraformmodule serves Terraform modules as kinds at run time.
//
// In: TerraformModule objects. Out: for each a CRD, typed by the module's variables and outputs,
// and a running controller of its instances, by way of package kinds. The instances are managed
// resources like those of providers. The providers are those of TerraformProviders, configured by
// their provider configurations. A module is removed after its instances; it never deletes a custom
// resource and never changes a remote object.
package terraformmodule
