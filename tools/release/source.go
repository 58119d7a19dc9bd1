package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// source is what is released, and as which version.
type source struct {
	root string // of the checkout

	version   string // such as v0.5.0
	revision  string // the commit
	committed time.Time

	dist  string          // where to write
	built map[string]bool // files of programs
}

func (s *source) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.root, "root", ".", "the checkout")
	cmd.Flags().StringVar(&s.dist, "output", "dist", "directory to write to")
	cmd.Flags().StringVar(&s.version, "version", "", "the version, such as v0.5.0 (default: the tag, or the commit)")
}

// complete reads what Git knows of the checkout.
func (s *source) complete(ctx context.Context) error {
	root, err := filepath.Abs(s.root)
	if err != nil {
		return err
	}
	s.root, s.built = root, map[string]bool{}
	if s.revision, err = s.git(ctx, "rev-parse", "HEAD"); err != nil {
		return err
	}
	seconds, err := s.git(ctx, "show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	s.committed = time.Unix(n, 0).UTC()
	if s.version == "" {
		s.version, err = s.git(ctx, "describe", "--tags", "--always", "--dirty", "--match=v*")
	}
	return err
}

// semantic returns the version without its v; a prerelease if it is no tag.
func (s *source) semantic() string {
	if v, ok := strings.CutPrefix(s.version, "v"); ok {
		return v
	}
	return "0.0.0-" + s.version
}

func (s *source) git(ctx context.Context, args ...string) (string, error) {
	return output(exec.CommandContext(ctx, "git", append([]string{"-C", s.root}, args...)...))
}

// program is a Go program to build.
type program struct {
	name, dir, pkg, ldflags string
}

// landbridge returns Landbridge's own program.
func (s *source) landbridge() program {
	const variables = "github.com/landbridge-io/landbridge/internal/version."
	return program{
		name: "landbridge", dir: ".", pkg: "./cmd/landbridge",
		ldflags: "-X " + variables + "version=" + s.version + " -X " + variables + "commit=" + s.revision,
	}
}

// opentofu is the program for spec.execution: CLI and for modules. version.dev=no makes it a
// release.
var opentofu = program{
	name: "tofu", dir: "test/contract/tofu", pkg: "github.com/opentofu/opentofu/cmd/tofu",
	ldflags: "-X github.com/opentofu/opentofu/version.dev=no",
}

// git fetches modules from Git repositories for OpenTofu and Terraform.
var git = program{name: "git", dir: "tools/git", pkg: "."}

// playground is the control plane for those without a cluster.
var playground = program{name: "landbridge-playground", dir: "playground", pkg: "./cmd/playground"}

// host is the platform of this machine.
const host = runtime.GOOS + "/" + runtime.GOARCH

// dashed returns a platform as it is written in names of files.
func dashed(platform string) string { return strings.ReplaceAll(platform, "/", "_") }

// path returns where a program is built.
func (s *source) path(p program, platform string) string {
	return filepath.Join(s.dist, "build", p.name+"_"+dashed(platform))
}

// build builds programs for a platform, each once: the same bits wherever the checkout is. What is
// compiled for other platforms than this machine's is several gigabytes that nothing else needs: it
// does not stay in the cache.
func (s *source) build(ctx context.Context, platform string, programs ...program) error {
	os_, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("the platform %q is not of the form os/architecture", platform)
	}
	env := []string{"CGO_ENABLED=0", "GOOS=" + os_, "GOARCH=" + arch, "GOAMD64=v1", "GOARM64=v8.0"}
	if platform != host {
		cache, err := os.MkdirTemp("", "landbridge-release-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(cache)
		env = append(env, "GOCACHE="+cache)
	}
	for _, p := range programs {
		file, err := filepath.Abs(s.path(p, platform))
		if err != nil {
			return err
		}
		if s.built[file] {
			continue
		}
		fmt.Fprintf(os.Stderr, "building %s for %s\n", p.name, platform)
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid= "+p.ldflags, "-o", file, p.pkg)
		cmd.Dir = filepath.Join(s.root, p.dir)
		cmd.Env = append(cmd.Environ(), env...)
		if _, err := output(cmd); err != nil {
			return err
		}
		s.built[file] = true
	}
	return nil
}

func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args[:2], " "), err, failed.Stderr)
	}
	return string(bytes.TrimSpace(out)), err
}
