package repository

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/schema"
)

// ProviderSource is the source of a provider.
type ProviderSource struct {
	// From is the provider's main package and its version, as in
	// github.com/hetznercloud/terraform-provider-hcloud@v1.68.0; the directory of its main package;
	// its address, as in hashicorp/random, or hashicorp/random@3.9.0; or the path of its program.
	From string
	// Name is the provider's name; empty: from the name of its program.
	Name string
	// Version is the provider's version, or a constraint where From is an address. Empty: that of
	// the Go module, the newest one, or what the name of the program says.
	Version string
	// Providers returns what finds addresses; it must not have been used before. Nil: they are not
	// found.
	Providers func() (*install.Installer, error)
}

// program is the name of a provider's program, without its version.
var program = regexp.MustCompile(`^terraform-provider-([a-z0-9-]+)$`)

// isSource reports whether the provider is given as Go code.
func (p ProviderSource) isSource() bool {
	if info, err := os.Stat(p.From); err == nil {
		return info.IsDir()
	}
	pkg, _, ok := strings.Cut(p.From, "@")
	return ok && strings.Count(pkg, "/") != 1 // not an address, hashicorp/random@3.9.0
}

// get puts the provider's binary where `make build` puts it, and completes the facts. The module is
// that of a provider that is built from source.
func (p ProviderSource) get(ctx context.Context, dir string, f *facts) (binary string, source *goModule, err error) {
	bin := filepath.Join(dir, "bin", runtime.GOOS+"_"+runtime.GOARCH)
	if f.InProcess {
		// Images have what is beside the program.
		bin = filepath.Join(dir, "bin", "plugin", runtime.GOOS+"_"+runtime.GOARCH)
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", nil, err
	}
	if p.isSource() {
		return p.build(ctx, directories{repository: dir, programs: bin}, f)
	}
	binary, err = p.install(ctx, directories{repository: dir, programs: bin}, f)
	return binary, nil, err
}

type directories struct{ repository, programs string }

// install installs the provider's program from a mirror, or copies it.
func (p ProviderSource) install(ctx context.Context, to directories, f *facts) (binary string, err error) {
	if pkg, version, ok := strings.Cut(p.From, "@"); ok {
		p.From, p.Version = pkg, cmp.Or(p.Version, version)
	}
	installer := &install.Installer{}
	f.Source = p.From
	if _, err := os.Stat(p.From); err == nil {
		if f.Source, err = filepath.Abs(p.From); err != nil {
			return "", err
		}
	} else if p.Providers != nil {
		if installer, err = p.Providers(); err != nil {
			return "", err
		}
		for i, mirror := range installer.Mirrors {
			if installer.Mirrors[i], err = filepath.Abs(mirror); err != nil {
				return "", err
			}
			f.Mirror = cmp.Or(f.Mirror, installer.Mirrors[i])
		}
	}
	installer.CacheDir = filepath.Join(to.repository, ".cache")
	defer os.RemoveAll(installer.CacheDir)
	constraint := p.Version
	if filepath.IsAbs(f.Source) {
		constraint = "" // the file's name may be wrong
	}
	found, err := installer.Install(ctx, f.Source, constraint)
	if err != nil {
		return "", err
	}
	f.Provider = cmp.Or(p.Name, found.Name())
	f.Version = found.Version
	if filepath.IsAbs(f.Source) {
		f.Version = cmp.Or(p.Version, found.Version)
	}
	if f.Version == "" {
		return "", fmt.Errorf("the name of %s does not contain its version: give the provider's version, with --provider-version", f.Source)
	}
	f.Platform, f.SHA256 = runtime.GOOS+"_"+runtime.GOARCH, found.SHA256
	binary = filepath.Join(to.programs, "terraform-provider-"+f.Provider)
	return binary, copyProgram(found.Path, binary)
}

// readSchema starts a provider, reads its schema, and stops it.
func readSchema(ctx context.Context, binary string, timeout time.Duration) (*schema.Provider, error) {
	timeout = cmp.Or(timeout, time.Minute)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	server, err := (&plugin.Launcher{Path: binary, StartTimeout: timeout}).Launch(ctx)
	if err != nil {
		return nil, err
	}
	s, diags := server.Schema(ctx)
	if err := server.Close(ctx); err != nil && !diags.HasErrors() {
		return nil, err
	}
	return s, diags.Err()
}

func copyProgram(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// run runs a program in a directory. Its output is in the error.
func run(ctx context.Context, dir, name string, args ...string) error {
	_, err := output(ctx, dir, name, args...)
	return err
}

// output is the same and returns what the program prints, also if it fails.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(problems.Bytes()))
	}
	return out.Bytes(), nil
}
