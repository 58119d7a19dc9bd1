package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// TestImagesHaveGit makes both images, in which git's program stands for the others, too: they take
// minutes to build.
func TestImagesHaveGit(t *testing.T) {
	t.Parallel()
	o := images{
		source:     &source{root: "../..", dist: t.TempDir(), version: "v0.0.0-test"},
		repository: "registry.example/landbridge", platforms: []string{host}, opentofu: true,
	}
	if err := o.complete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := o.build(t.Context(), host, git); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(o.path(git, host))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []program{o.landbridge(), opentofu} {
		path, err := filepath.Abs(o.path(p, host))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o755); err != nil {
			t.Fatal(err)
		}
		o.built[path] = true
	}
	if err := o.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"landbridge-image", "landbridge-image-opentofu"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, path := extract(t, filepath.Join(o.dist, name))
			cmd := exec.CommandContext(t.Context(), program, "version")
			cmd.Env = []string{} // the image has neither a shell nor libraries
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), "git version ") || !strings.Contains(string(out), "go-git v") {
				t.Errorf("git version: %v\n%s", err, out)
			}
			if path != "PATH=/usr/local/bin" {
				t.Errorf("git is in /usr/local/bin, and not in %s", path)
			}
			document, err := os.ReadFile(filepath.Join(o.dist, name+"_"+o.version+".spdx.json"))
			if err != nil {
				t.Fatal(err)
			}
			var listed struct{ Packages []struct{ Name string } }
			if err := json.Unmarshal(document, &listed); err != nil {
				t.Fatal(err)
			}
			names := map[string]bool{}
			for _, p := range listed.Packages {
				names[p.Name] = true
			}
			for _, want := range []string{"git_" + dashed(host), "github.com/go-git/go-git/v5"} {
				if !names[want] {
					t.Errorf("the SBOM lacks %s", want)
				}
			}
		})
	}
}

// extract returns the file that the program git of an image is written to, and the image's PATH.
func extract(t *testing.T, dir string) (file, path string) {
	t.Helper()
	written, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := written.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	platforms, err := written.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if manifest, err = platforms.IndexManifest(); err != nil {
		t.Fatal(err)
	}
	one, err := platforms.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := one.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	in := mutate.Extract(one)
	defer in.Close()
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("there is no usr/local/bin/git")
		} else if err != nil {
			t.Fatal(err)
		}
		if h.Name != "usr/local/bin/git" {
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		file = filepath.Join(t.TempDir(), "git")
		if err := os.WriteFile(file, content, os.FileMode(h.Mode)); err != nil {
			t.Fatal(err)
		}
		return file, config.Config.Env[0]
	}
}
