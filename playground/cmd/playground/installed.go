package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/playground/internal/demo"
)

// install waits until Landbridge's kinds are served and creates TerraformProviders, each once with
// a data directory: what the user has changed or deleted since stays so.
func (s *session) install(ctx context.Context, providers []*unstructured.Unstructured, line func(string, ...any)) error {
	i, err := demo.NewInstallation(s.controlPlane.Config, line)
	if err != nil {
		return err
	}
	if err := i.WaitForKinds(ctx); err != nil {
		return err
	}
	path := filepath.Join(s.dir, "installed-providers")
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	installed := strings.Fields(string(content))
	var created []*unstructured.Unstructured
	for _, p := range providers {
		if slices.Contains(installed, p.GetName()) {
			continue
		}
		is, err := i.Create(ctx, p)
		if err != nil {
			return err
		}
		if is {
			created = append(created, p)
		}
		installed = append(installed, p.GetName())
		if err := os.WriteFile(path, []byte(strings.Join(installed, "\n")+"\n"), 0o600); err != nil {
			return err
		}
	}
	if left := len(providers) - len(created); left > 0 {
		line("%d of %d TerraformProviders were installed before, and are as you left them", left, len(providers))
	}
	return i.Wait(ctx, created...)
}
