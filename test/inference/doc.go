// Command inference measures how many references of azurerm's resource types package inference
// finds in its documentation, and how many of those are right.
//
// The judge is independent of the documentation: azurerm's source checks the values of its
// arguments with functions such as commonids.ValidateSubnetID, and reads the ids of its own objects
// with functions of the same packages. An argument whose value must be the id of a subnet refers to
// the resource types whose objects have such ids.
//
// In: the provider's module, which is downloaded and built (about an hour on two cores, once). Out:
// one line with the figures, and with -list the arguments that are not found, or not rightly. It
// never configures the provider.
package main
