package program_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/program"
)

func TestControllerRefusesLinkedProviders(t *testing.T) {
	t.Parallel()
	server5 := func() tfprotov5.ProviderServer { return nil }
	server6 := func() tfprotov6.ProviderServer { return nil }
	tests := map[string]struct {
		linked []program.Linked
		want   string
	}{
		"no address": {
			linked: []program.Linked{{Source: "a/b/c/d", Version: "1.0.0", Protocol6: server6}},
			want:   `the linked provider "a/b/c/d": the source must be a provider's address, such as hashicorp/random`,
		},
		"no version": {
			linked: []program.Linked{{Source: "acme/cloud", Protocol6: server6}},
			want:   "the linked provider registry.terraform.io/acme/cloud : the version must be a semantic version, such as 1.2.3",
		},
		"no server": {
			linked: []program.Linked{{Source: "acme/cloud", Version: "1.0.0"}},
			want:   "the linked provider registry.terraform.io/acme/cloud 1.0.0: exactly one of Protocol5 and Protocol6 must be set",
		},
		"two servers": {
			linked: []program.Linked{{Source: "acme/cloud", Version: "1.0.0", Protocol5: server5, Protocol6: server6}},
			want:   "the linked provider registry.terraform.io/acme/cloud 1.0.0: exactly one of Protocol5 and Protocol6 must be set",
		},
		"one version twice": {
			linked: []program.Linked{
				{Source: "acme/cloud", Version: "1.0.0", Protocol6: server6},
				{Source: "registry.terraform.io/acme/cloud", Version: "1.0.0", Protocol5: server5},
			},
			want: "the linked provider registry.terraform.io/acme/cloud 1.0.0: this version is linked twice",
		},
		"two versions": {
			linked: []program.Linked{
				{Source: "acme/cloud", Version: "1.0.0", Protocol6: server6},
				{Source: "acme/cloud", Version: "2.0.0", Protocol5: server5},
			},
			want: `no cluster to work with: stat /nowhere/kubeconfig: no such file or directory`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := program.Controller{Name: "test", Linked: test.linked}.Command()
			cmd.SetArgs([]string{"--kubeconfig", "/nowhere/kubeconfig"})
			if err := cmd.ExecuteContext(t.Context()); err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %s", err, test.want)
			}
		})
	}
}
