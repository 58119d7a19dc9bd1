package main

import (
	"os"

	"github.com/landbridge-io/landbridge/tools/git/client"
)

func main() { os.Exit(client.Main()) }
