package generate_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/generate"
)

// mux is a server that consists of others, and of itself.
type mux struct {
	tfprotov6.ProviderServer
	servers  []tfprotov6.ProviderServer
	byType   map[string]tfprotov6.ProviderServer
	factory  func() tfprotov6.ProviderServer
	Provider *struct{ ResourcesMap map[string]any }
}

// A server on the legacy SDK is tested by test/behaviour, where there is one.
func TestProgramLinksServers(t *testing.T) {
	t.Parallel()
	of := &mux{}
	of.servers = []tfprotov6.ProviderServer{nil, of, mux{}}
	for name, test := range map[string]struct {
		program generate.Program
		want    string // an error
	}{
		"a server without the legacy SDK": {program: generate.Program{Protocol6: func() (tfprotov6.ProviderServer, error) { return of, nil }}},
		"no server":                       {program: generate.Program{Protocol5: func() (tfprotov5.ProviderServer, error) { return nil, nil }}},
		"a failure": {
			program: generate.Program{Protocol5: func() (tfprotov5.ProviderServer, error) { return nil, errors.New("no schema") }},
			want:    "the linked provider: no schema",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := test.program
			p.Name, p.Module, p.Config = "cloud", "example.org/provider-cloud", config.Provider{Group: "cloud.example.org"}
			var out bytes.Buffer
			err := generate.Run(p, repository(t), false, &out, new(bytes.Buffer))
			switch {
			case test.want != "" && (err == nil || err.Error() != test.want):
				t.Errorf("got error %v, want %s", err, test.want)
			case test.want == "" && (err != nil || !strings.HasPrefix(out.String(), "1 kinds; ")):
				t.Errorf("%v: %s", err, out.String())
			}
		})
	}
}
