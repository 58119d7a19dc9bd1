package cli

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

// Product is which program it is.
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
	// Identity says that it knows resource identities, WriteOnly that it knows write-only attributes.
	Identity, WriteOnly bool
}

// Reason is why a program cannot be used.
type Reason string

// The reasons for which a program cannot be used.
const (
	// NotFound: there is no file of that name.
	NotFound Reason = "NotFound"
	// NotExecutable: there is a file, but it cannot be run.
	NotExecutable Reason = "NotExecutable"
	// NotTerraform: it runs, but it is neither OpenTofu nor Terraform.
	NotTerraform Reason = "NotTerraform"
	// UnsupportedVersion: it is too old.
	UnsupportedVersion Reason = "UnsupportedVersion"
	// TimedOut: it did not tell its version in time.
	TimedOut Reason = "TimedOut"
)

// ProgramError says why a program cannot be used.
type ProgramError struct {
	Reason Reason
	// Path is as it was given.
	Path string
	// Detail is one sentence for a person.
	Detail string
	Err    error
}

func (e *ProgramError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Detail) }

func (e *ProgramError) Unwrap() error { return e.Err }

// findTimeout is how long a program may take to tell its version.
const findTimeout = 20 * time.Second

// needs are the versions from which on each product can be used, knows identities, and knows
// write-only attributes.
var needs = map[Product]struct{ minimum, identity, writeOnly *version.Version }{
	OpenTofu:  {version.Must(version.NewVersion("1.6.0")), version.Must(version.NewVersion("1.12.0")), version.Must(version.NewVersion("1.11.0"))},
	Terraform: {version.Must(version.NewVersion("1.5.0")), version.Must(version.NewVersion("1.12.0")), version.Must(version.NewVersion("1.11.0"))},
}

// announcement is the first line that the program prints when it is asked for its version.
var announcement = regexp.MustCompile(`^(OpenTofu|Terraform) v(\S+)`)

// Find looks at a program: the path of one, or a name to be looked for in PATH. What is wrong
// with it is a *ProgramError.
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
	out, err := (&run{path: path, args: []string{"version"}, env: environment(nil)}).do(ctx)
	switch {
	case ctx.Err() != nil:
		return fail(TimedOut, ctx.Err(), "it did not tell its version in time")
	case err != nil:
		return fail(NotExecutable, err, "it cannot be run: %s", err)
	}
	line, _, _ := strings.Cut(string(out.stdout), "\n")
	m := announcement.FindStringSubmatch(line)
	if m == nil {
		return fail(NotTerraform, nil, "it is neither OpenTofu nor Terraform: asked for its version, it ended with status %d and printed %q", out.code, shorten(line))
	}
	p := &Program{Path: path, Product: Product(m[1])}
	if p.Version, err = version.NewVersion(m[2]); err != nil {
		return fail(NotTerraform, err, "its version %q cannot be read", shorten(m[2]))
	}
	// Builds before a release have what the release has.
	core, need := p.Version.Core(), needs[p.Product]
	if core.LessThan(need.minimum) {
		return fail(UnsupportedVersion, nil, "it is %s %s; version %s or later is needed", p.Product, p.Version, need.minimum)
	}
	p.Identity, p.WriteOnly = !core.LessThan(need.identity), !core.LessThan(need.writeOnly)
	return p, nil
}

// String is such as OpenTofu 1.12.6.
func (p *Program) String() string { return fmt.Sprintf("%s %s", p.Product, p.Version) }

// shorten is the beginning of a text that somebody else wrote.
func shorten(s string) string {
	const most = 300
	if s = strings.TrimSpace(s); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
