// Command packaged serves the generated kinds of one provider.
package main

import (
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/program"
)

func main() {
	program.Program{
		Name:     "provider-cloud",
		Provider: "cloud", Version: "1.2.0", SchemaSum: "0123",
		Config: config.Provider{Group: "cloud.example.org"},
	}.Main()
}
