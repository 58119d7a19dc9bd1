package program

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/mod/semver"

	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/install"
)

// Linked is a provider that is linked into a Controller, and runs in its process. Exactly one of
// Protocol5 and Protocol6 must be set.
//
// For a provider on the plugin framework, the function is what providerserver.NewProtocol6 or
// NewProtocol5 returns. For a provider on the legacy SDK, it returns
// schema.NewGRPCProviderServer of a new *schema.Provider.
type Linked struct {
	// Source is the provider's address, such as hashicorp/random. A TerraformProvider with this
	// source uses a linked provider unless spec.execution is Plugin.
	Source string
	// Version of the provider, such as 3.9.0. Several versions of one source may be linked.
	Version string
	// Protocol5 returns a new server of plugin protocol 5.
	Protocol5 func() tfprotov5.ProviderServer
	// Protocol6 returns a new server of plugin protocol 6.
	Protocol6 func() tfprotov6.ProviderServer
}

// link returns the providers as the controller takes them.
func link(all []Linked) ([]terraformprovider.Linked, error) {
	var out []terraformprovider.Linked
	seen := map[string]bool{}
	for _, l := range all {
		address, malformed := install.ParseAddress(l.Source)
		if malformed != nil {
			return nil, fmt.Errorf("the linked provider %q: the source must be a provider's address, such as hashicorp/random", l.Source)
		}
		name := address.String() + " " + l.Version
		var err error
		switch {
		case !semver.IsValid("v" + l.Version):
			err = errors.New("the version must be a semantic version, such as 1.2.3")
		case (l.Protocol5 == nil) == (l.Protocol6 == nil):
			err = errors.New("exactly one of Protocol5 and Protocol6 must be set")
		case seen[name]:
			err = errors.New("this version is linked twice")
		}
		if err != nil {
			return nil, fmt.Errorf("the linked provider %s: %w", name, err)
		}
		seen[name] = true
		out = append(out, terraformprovider.Linked{
			Source: l.Source, Version: l.Version,
			Launcher: &inprocess.Launcher{
				Name: name, Protocol5: inprocess.WithoutError(l.Protocol5),
				Protocol6: inprocess.WithoutError(l.Protocol6),
			},
		})
	}
	return out, nil
}
