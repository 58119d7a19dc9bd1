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
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"golang.org/x/mod/module"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/schema"
)

// ProviderSource is the source of a provider.
type ProviderSource struct {
	// From is the provider's main package and its version, as in
	// github.com/hetznercloud/terraform-provider-hcloud@v1.68.0; its address, as in hashicorp/random, or
	// hashicorp/random@3.9.0; or the path of its program.
	From string
	// Name is the provider's name; empty: from the name of its program.
	Name string
	// Version is the provider's version, or a constraint where From is an address. Empty: that of the Go
	// module, the newest one of the mirror, or what the name of the program says.
	Version string
	// Mirror is a directory in the layout of Terraform's filesystem mirrors, for addresses.
	Mirror string
}

// program is the name of a provider's program, without its version.
var program = regexp.MustCompile(`^terraform-provider-([a-z0-9-]+)$`)

// get puts the provider's binary where `make build` puts it, and completes the facts.
func (p ProviderSource) get(ctx context.Context, dir string, f *facts) (binary string, err error) {
	bin := filepath.Join(dir, "bin", runtime.GOOS+"_"+runtime.GOARCH)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	if pkg, version, ok := strings.Cut(p.From, "@"); ok {
		if strings.Count(pkg, "/") != 1 {
			return p.build(ctx, goPackage{path: pkg, version: version}, directories{repository: dir, programs: bin}, f)
		}
		p.From, p.Version = pkg, cmp.Or(p.Version, version) // an address, hashicorp/random@3.9.0
	}
	installer := &install.Installer{CacheDir: filepath.Join(dir, ".cache")}
	defer os.RemoveAll(installer.CacheDir)
	f.Source = p.From
	if _, err := os.Stat(p.From); err == nil {
		if f.Source, err = filepath.Abs(p.From); err != nil {
			return "", err
		}
	} else if p.Mirror != "" {
		if f.Mirror, err = filepath.Abs(p.Mirror); err != nil {
			return "", err
		}
		installer.Mirrors = []string{f.Mirror}
	}
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
	binary = filepath.Join(bin, "terraform-provider-"+f.Provider)
	return binary, copyProgram(found.Path, binary)
}

type goPackage struct{ path, version string }

type directories struct{ repository, programs string }

// build builds the provider's program from its Go module, in a separate module, so that the provider's
// dependencies do not mix with those of the repository.
func (p ProviderSource) build(ctx context.Context, from goPackage, to directories, f *facts) (binary string, err error) {
	pkg := from.path
	if err := module.CheckImportPath(pkg); err != nil {
		return "", fmt.Errorf("the provider %s: %w", p.From, err)
	}
	name, _, ok := module.SplitPathVersion(pkg)
	if !ok {
		name = pkg
	}
	f.Provider = p.Name
	if f.Provider == "" {
		m := program.FindStringSubmatch(path.Base(name))
		if m == nil {
			return "", fmt.Errorf("%s does not contain the provider's name in the form terraform-provider-NAME: give the provider's name", pkg)
		}
		f.Provider = m[1]
	}
	f.Package = pkg
	nested := filepath.Join(to.repository, "provider")
	if err := os.MkdirAll(nested, 0o755); err != nil {
		return "", err
	}
	content := "// The Terraform provider, in a module of its own: what it depends on does not mix with what the\n" +
		"// repository does.\nmodule " + f.Module + "/provider\n\ngo 1.26.0\n"
	if err := os.WriteFile(filepath.Join(nested, "go.mod"), []byte(content), 0o644); err != nil {
		return "", err
	}
	if err := run(ctx, nested, "go", "get", "-tool", pkg+"@"+from.version); err != nil {
		return "", err
	}
	if f.Version = p.Version; f.Version == "" {
		out, err := output(ctx, nested, "go", "list", "-f", "{{.Module.Version}}", pkg)
		if err != nil {
			return "", err
		}
		f.Version = strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
	}
	binary = filepath.Join(to.programs, "terraform-provider-"+f.Provider)
	// As the Makefile does it.
	return binary, run(ctx, nested, "go", "build", "-ldflags=-s -w", "-o", binary, pkg)
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

func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(problems.Bytes()))
	}
	return out.Bytes(), nil
}
