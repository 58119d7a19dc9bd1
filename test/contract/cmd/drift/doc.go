// Command drift lists what Terraform's plugin protocol has and Landbridge's messages have not.
//
// In: a directory with Terraform's tfplugin5.proto and tfplugin6.proto, such as
// docs/plugin-protocol of its source. Out: each call, field and value that is missing or has
// another type, and a closing line. The status is 1 if there is one. Field names are not compared,
// since they are not on the wire.
package main
