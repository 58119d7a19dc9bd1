package commandline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/go-version"
)

// Product is the name of a program.
type Product string

// The two programs.
const (
	OpenTofu  Product = "OpenTofu"
	Terraform Product = "Terraform"
)

// Program is an installed command line.
type Program struct {
	// Path is absolute.
	Path    string
	Product Product
	Version *version.Version
	// Identity is set when it supports resource identities, WriteOnly when it supports write-only
	// attributes.
	Identity, WriteOnly bool
}

// Reason is the reason why a program cannot be used.
type Reason string

// The reasons for which a program cannot be used.
const (
	// NotFound means that there is no such file.
	NotFound Reason = "NotFound"
	// NotExecutable means that the file cannot be run.
	NotExecutable Reason = "NotExecutable"
	// NotTerraform means that the program is neither OpenTofu nor Terraform.
	NotTerraform Reason = "NotTerraform"
	// UnsupportedVersion means that the program is too old.
	UnsupportedVersion Reason = "UnsupportedVersion"
	// TimedOut means that the program did not print its version in time.
	TimedOut Reason = "TimedOut"
)

// ProgramError is the error of a program that cannot be used.
type ProgramError struct {
	Reason Reason
	// Path is the path or name that was given.
	Path string
	// Detail is one sentence about the program, without its path.
	Detail string
	Err    error
}

func (e *ProgramError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Detail) }

func (e *ProgramError) Unwrap() error { return e.Err }

// findTimeout bounds the time in which a program prints its version.
const findTimeout = 20 * time.Second

// Needs are the first versions of each product that are supported, support resource identities, and
// support write-only attributes.
var Needs = map[Product]struct{ Minimum, Identity, WriteOnly *version.Version }{
	OpenTofu: {
		version.Must(version.NewVersion("1.6.0")), version.Must(version.NewVersion("1.12.0")),
		version.Must(version.NewVersion("1.11.0")),
	},
	Terraform: {
		version.Must(version.NewVersion("1.5.0")), version.Must(version.NewVersion("1.12.0")),
		version.Must(version.NewVersion("1.11.0")),
	},
}

// announcement matches the first line of the output of the command version.
var announcement = regexp.MustCompile(`^(OpenTofu|Terraform) v(\S+)`)

// Find returns the program with the given path, or with the given name in PATH. Errors are
// *ProgramError.
func Find(ctx context.Context, name string) (*Program, error) { return find(ctx, name, findTimeout) }

func find(ctx context.Context, name string, within time.Duration) (*Program, error) {
	fail := func(reason Reason, err error, detail string, args ...any) (*Program, error) {
		return nil, &ProgramError{Reason: reason, Path: name, Detail: fmt.Sprintf(detail, args...), Err: err}
	}
	path, err := exec.LookPath(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return fail(NotFound, err, "there is no such program")
	case err != nil:
		return fail(NotExecutable, err, "it cannot be run: %s", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return fail(NotFound, err, "it cannot be found: %s", err)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	out, err := (&process{path: path, args: []string{"version"}, env: environment(nil)}).run(ctx)
	switch {
	case ctx.Err() != nil:
		return fail(TimedOut, ctx.Err(), "it did not print its version in time")
	case err != nil:
		return fail(NotExecutable, err, "it cannot be run: %s", err)
	}
	line, _, _ := strings.Cut(string(out.Stdout), "\n")
	m := announcement.FindStringSubmatch(line)
	if m == nil {
		return fail(NotTerraform, nil, "it is neither OpenTofu nor Terraform: the command version exited with "+
			"status %d and printed %q", out.Status, Shorten(line))
	}
	p := &Program{Path: path, Product: Product(m[1])}
	if p.Version, err = version.NewVersion(m[2]); err != nil {
		return fail(NotTerraform, err, "its version %q cannot be read", Shorten(m[2]))
	}
	// Builds before a release support what the release supports.
	core, need := p.Version.Core(), Needs[p.Product]
	if core.LessThan(need.Minimum) {
		return fail(UnsupportedVersion, nil, "it is %s %s; version %s or later is needed", p.Product, p.Version, need.Minimum)
	}
	p.Identity, p.WriteOnly = !core.LessThan(need.Identity), !core.LessThan(need.WriteOnly)
	return p, nil
}

// String returns the product and version, such as OpenTofu 1.12.6.
func (p *Program) String() string { return fmt.Sprintf("%s %s", p.Product, p.Version) }
