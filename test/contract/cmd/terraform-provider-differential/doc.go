// Command terraform-provider-differential is the providers of the differential tests as a process
// of their own. The name it is called by says which of them it is.
package main
