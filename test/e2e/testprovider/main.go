package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

const (
	// variableDirectory names DIR; see the package's documentation.
	variableDirectory = "TESTPROVIDER_DIRECTORY"
	// variableMode selects how the process starts. Defaults to a working provider.
	variableMode = "TESTPROVIDER_MODE"
	// variableConfiguration, if not empty, gives the provider a configuration schema with a token.
	// If it is "login", there is no token, but the URL of a login and the file with a token for it,
	// or variableToken has that token.
	variableConfiguration = "TESTPROVIDER_CONFIGURATION"
	variableToken         = "CLOUD_TOKEN"
	// variableTypes has further resource types without the provider's name, separated by spaces.
	variableTypes = "TESTPROVIDER_TYPES"
)

func main() {
	switch mode := os.Getenv(variableMode); mode {
	case "":
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot start: the moon is full")
		os.Exit(3)
	case "protocol4":
		fmt.Println("1|4|unix|/nowhere|grpc|")
		time.Sleep(time.Minute)
	case "rubbish":
		fmt.Println("Hello! This is no provider.")
		time.Sleep(time.Minute)
	case "slow":
		time.Sleep(3 * time.Second)
	case "hang":
		cloud{dir: os.Getenv(variableDirectory)}.note("hang", "at", "start")
		time.Sleep(time.Hour)
	default:
		fmt.Fprintln(os.Stderr, "no such mode:", mode)
		os.Exit(2)
	}
	name, version, _ := strings.Cut(strings.TrimPrefix(filepath.Base(os.Args[0]), "terraform-provider-"), "_v")
	s := &server{
		name: name, second: strings.HasPrefix(version, "2"), configurable: os.Getenv(variableConfiguration) != "",
		login:  os.Getenv(variableConfiguration) == "login",
		others: strings.Fields(os.Getenv(variableTypes)), cloud: cloud{dir: os.Getenv(variableDirectory)},
	}
	if err := tf6server.Serve("registry.terraform.io/test/"+name, func() tfprotov6.ProviderServer { return s }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
