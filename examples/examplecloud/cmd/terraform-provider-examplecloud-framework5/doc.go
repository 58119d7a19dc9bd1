// Command terraform-provider-examplecloud-framework5 is the example provider written
// with the plugin framework, on protocol 5. It is started by Terraform and its like.
package main
