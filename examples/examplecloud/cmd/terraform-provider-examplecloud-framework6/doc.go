// Command terraform-provider-examplecloud-framework6 is the example provider written
// with the plugin framework, on protocol 6. It is started by Terraform and its like.
package main
