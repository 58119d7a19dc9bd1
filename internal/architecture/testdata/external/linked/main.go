// Command linked is Landbridge's controller with providers linked in.
package main

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/program"
)

// The servers stand for those of the legacy SDK and of the plugin framework.
type (
	server5 struct{ tfprotov5.ProviderServer }
	server6 struct{ tfprotov6.ProviderServer }
)

func main() {
	controller := program.Controller{
		Name: "linked",
		Linked: []program.Linked{
			{Source: "acme/cloud", Version: "1.2.0", Protocol5: func() tfprotov5.ProviderServer { return server5{} }},
			{Source: "acme/cloud", Version: "2.0.0", Protocol6: func() tfprotov6.ProviderServer { return server6{} }},
		},
	}
	controller.Command().Flags().String("extra", "", "a flag of the program's own")
	controller.Main()
}
