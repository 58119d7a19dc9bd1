// Command generator writes what is generated in a repository.
package main

import (
	_ "embed"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/generate"
)

//go:embed references.yaml
var references []byte

func main() {
	generate.Program{
		Name:   "cloud",
		Config: config.MustRead("references.yaml", references).With(provider()),
		Module: "example.org/provider-cloud",
	}.Main()
}

func provider() config.Provider {
	return config.Provider{
		Group: "cloud.example.org",
		Resources: map[string]config.Resource{
			"cloud_server": {Kind: "Machine", Fields: map[string]config.Field{"size": {Type: config.FieldString}}},
		},
	}
}
