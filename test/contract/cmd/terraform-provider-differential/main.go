package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/landbridge-io/landbridge/test/contract/differential"
	"github.com/landbridge-io/landbridge/test/contract/internal/stage"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "terraform-provider-differential:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := differential.Quiet(); err != nil {
		return err
	}
	name := strings.TrimPrefix(filepath.Base(os.Args[0]), "terraform-provider-")
	known, err := stage.Enter(os.Getenv(stage.Env), name)
	if err != nil {
		return err
	}
	return differential.Main(name, known)
}
