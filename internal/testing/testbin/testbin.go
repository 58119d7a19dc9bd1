package testbin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const modulePath = "github.com/landbridge-io/landbridge"

// Target is a program to build. Paths are relative to the repository's root
// and slash separated.
type Target struct {
	Module  string   // directory of the Go module to build in; "." is the root
	Package string   // main package: "./cmd/x" or an import path
	Output  string   // where the binary goes
	Sources []string // files and directories that make the binary stale
	LDFlags string   // for the linker, beside those of all programs
	Flags   []string // for go build, such as -tags; programs that differ in them differ in Output
}

// Playground is the program of the nested module playground.
var Playground = Target{
	Module:  "playground",
	Package: "./cmd/playground",
	Output:  "bin/playground",
	Sources: []string{"playground"},
}

// Kubectl is the Kubernetes command line.
var Kubectl = Target{
	Module:  "test/kubectl",
	Package: ".",
	Output:  "bin/kubectl",
	Sources: []string{"test/kubectl"},
}

// OpenTofu is built from its Go module, which takes minutes the first time. version.dev=no makes it
// a release and not a development build.
var OpenTofu = Target{
	Module:  "test/contract/tofu",
	Package: "github.com/opentofu/opentofu/cmd/tofu",
	Output:  "bin/tofu",
	Sources: []string{"test/contract/tofu"},
	LDFlags: "-X github.com/opentofu/opentofu/version.dev=no",
}

// Terraform is the last release under the Mozilla Public License. Building it takes minutes the
// first time.
var Terraform = Target{
	Module:  "test/conformance/terraform",
	Package: "github.com/hashicorp/terraform",
	Output:  "bin/terraform",
	Sources: []string{"test/conformance/terraform"},
}

// Git is the git of the container image, alone in its directory.
var Git = Target{
	Module:  "tools/git",
	Package: ".",
	Output:  "bin/image/git",
	Sources: []string{"tools/git"},
}

// Landbridge is the project's own program.
var Landbridge = Target{
	Module:  ".",
	Package: "./cmd/landbridge",
	Output:  "bin/landbridge",
	Sources: []string{"go.mod", "go.sum", "apis", "cmd", "config", "generate", "internal", "program", "schema"},
}

// TestProvider is a provider that misbehaves on request. The name of a provider is that of its
// file: link to it.
var TestProvider = Target{
	Module:  ".",
	Package: "./test/e2e/testprovider",
	Output:  "bin/test/terraform-provider-double",
	Sources: []string{"go.mod", "go.sum", "test/e2e/testprovider"},
}

// Build returns the absolute path of the target's binary. It builds the binary if
// it is missing or older than a source.
func Build(ctx context.Context, t Target) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	output := filepath.Join(root, filepath.FromSlash(t.Output))
	if fresh, err := t.fresh(root, output); err != nil || fresh {
		return output, err
	}
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return "", err
	}
	// Not beside the binary, where an installer would take it for part of a package.
	unlock, err := lock(filepath.Join(root, "bin", ".locks", filepath.Base(output)))
	if err != nil {
		return "", err
	}
	defer unlock()
	// Another process may have built it while this one waited for the lock.
	if fresh, err := t.fresh(root, output); err != nil || fresh {
		return output, err
	}
	return output, t.build(ctx, root, output)
}

func (t Target) build(ctx context.Context, root, output string) error {
	// Built under another name and renamed, because the old binary may be running.
	begin, building := time.Now(), output+".new"
	defer os.Remove(building)
	// The same flags as in the Makefile, so that both share a build cache.
	args := append([]string{"build", strings.TrimSpace("-ldflags=-s -w " + t.LDFlags), "-o", building}, t.Flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, t.Package)...)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(t.Module))
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if slices.Contains(t.Flags, "-race") {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1") // which the race detector needs
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building %s in %s: %w\n%s", t.Package, cmd.Dir, err, out.Bytes())
	}
	// The time at which the build began: sources may have changed since.
	if err := os.Chtimes(building, begin, begin); err != nil {
		return err
	}
	return os.Rename(building, output)
}

// fresh reports whether the output exists and no source is newer.
func (t Target) fresh(root, output string) (bool, error) {
	built, err := os.Stat(output)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	fresh := true
	for _, source := range t.Sources {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(source)), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				// A file that disappears during the walk is not a source.
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			if name := d.Name(); d.IsDir() || strings.HasSuffix(name, "_test.go") {
				if d.IsDir() && name == "testdata" {
					return fs.SkipDir
				}
				return nil
			}
			info, err := d.Info()
			if err == nil && info.ModTime().After(built.ModTime()) {
				fresh = false
				return fs.SkipAll
			}
			return nil
		})
		if err != nil || !fresh {
			return false, err
		}
	}
	return fresh, nil
}

// lock takes an exclusive lock on a file. The kernel releases it when the process ends.
func lock(path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// Root returns the repository's root directory: the working directory or the nearest
// parent with the module's go.mod.
var Root = sync.OnceValues(func() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(content), "module "+modulePath+"\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside a checkout of %s", start, modulePath)
		}
	}
})
