package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// The page on repositories is executed and must match.
func TestInitPage(t *testing.T) {
	tools, err := newTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	doctest.Test(t, filepath.Join("..", "..", "docs", "init.md"), doctest.Options{
		Timeout: 10 * time.Minute, // programs are compiled
		// As the programs and tests of this repository: nothing is compiled or vetted once more.
		Env: []string{
			"PATH=" + filepath.Dir(tools.landbridge) + ":" + os.Getenv("PATH"), "MAKEFLAGS=", "MAKELEVEL=",
			"CGO_ENABLED=0", "GOFLAGS=-vet=off",
		},
		Replace: map[string]string{
			"/opt/terraform/mirror": providertest.Mirror(t, "random", "time"),
			"/src/landbridge":       root(t),
		},
	})
}

func root(t *testing.T) string {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}
