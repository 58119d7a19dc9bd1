//go:build ignore

package main

import "example.org/terraform-provider-cloud/internal/sdk"

func main() { sdk.Provider().GRPCProvider() }
