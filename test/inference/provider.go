package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// azurerm is the provider's module. Its releases from version 2 on have no version of their own on
// the Go proxy, since the path of the module does not have the major version.
const azurerm = "github.com/hashicorp/terraform-provider-azurerm@v1.44.1-0.20260824201233-fae580791926"

// download returns the directory with the source of a module.
func download(module string) (dir string, err error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Stderr = os.Stderr
	cmd.Dir = os.TempDir() // outside of this module
	raw, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(raw, &found); err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	return found.Dir, nil
}

// build builds the program in a directory, unless the file exists.
func build(dir, file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	cmd := exec.Command("go", "build", "-mod=mod", "-ldflags=-s -w", "-o", file, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}
