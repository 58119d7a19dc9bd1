// Command terraform-provider-examplecloud-sdkv2 is the example provider written with
// terraform-plugin-sdk/v2, on protocol 5. It is started by Terraform and its like.
//
// With EXAMPLECLOUD_LIST_RESOURCES=off it is served as the SDK alone does: without
// list resources, and without the capabilities that combining servers adds.
package main
