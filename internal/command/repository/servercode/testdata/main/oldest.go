//go:build ignore

package main

import "github.com/hashicorp/terraform-plugin-sdk/plugin"

func main() { plugin.Serve(nil) }
