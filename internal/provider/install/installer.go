package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	version "github.com/hashicorp/go-version"
)

// Installer finds provider binaries. The zero value finds binaries by path. It must not be copied after
// its first use.
type Installer struct {
	// CacheDir is the directory into which packages are unpacked. Its file system must allow running
	// programs.
	CacheDir string
	// Mirrors are directories in the layout of Terraform's filesystem mirrors, packed or unpacked. The
	// newest version is chosen; if several mirrors have it, from the first of them.
	Mirrors []string
	// Hosts are additional registry hosts, such as registry.opentofu.org, under which mirrors are searched
	// for a source without a host.
	Hosts []string
	// Private makes programs be copied into CacheDir, which no other user of the machine may write, and packages be
	// unpacked there anew by each process. So what Binary.SHA256 was taken of is what runs, whoever can write the mirrors.
	// Scripts are not copied.
	Private bool
	// Platform is the platform of the programs, such as linux_arm64. Defaults to this machine's.
	Platform string

	mu sync.Mutex
	// unpacked are the packages that this Installer has unpacked, by the path of the program.
	unpacked map[string]unpacked
}

// Binary is a provider's program.
type Binary struct {
	// Source is the provider's full address, or the path as it was given.
	Source string
	// Type is the provider's name, such as random.
	Type string
	// Path is the absolute path of the program.
	Path string
	// Version is the version of the provider; empty if it cannot be derived from the path.
	Version string
	// SHA256 is the checksum of the program, in lower-case hex.
	SHA256 string
	// Checksums are those of the package, as in Terraform's lock files: h1:, and zh: if it is packed. Empty if the
	// program was given by its path, or without Installer.Private.
	Checksums []string
}

// Matches reports whether the program has one of the checksums: of its package, or sha256: and SHA256.
func (b Binary) Matches(checksums []string) bool {
	return slices.ContainsFunc(checksums, func(c string) bool {
		return slices.Contains(b.Checksums, c) || b.SHA256 != "" && c == "sha256:"+b.SHA256
	})
}

// Name returns the provider's name, such as random.
func (b Binary) Name() string { return b.Type }

// Install finds the newest version of a provider that meets a constraint; every release meets the empty
// constraint. A source that is a path ("/…", "./…", "../…") names the program itself. Repeated calls are
// cheap when nothing has changed. The error is an *Error.
func (i *Installer) Install(ctx context.Context, source, constraint string) (Binary, error) {
	b, err := i.install(ctx, source, constraint)
	if err != nil {
		err.Source, err.Constraint = source, constraint
		return Binary{}, err
	}
	return b, nil
}

func (i *Installer) install(ctx context.Context, source, constraint string) (Binary, *Error) {
	constraints, err := parseConstraints(constraint)
	if err != nil {
		return Binary{}, err
	}
	switch {
	case source == "":
		return Binary{}, problem(InvalidSource, "no source is given")
	case strings.Contains(source, "://"):
		return Binary{}, problem(Unsupported, "providers are found by path or in filesystem mirrors, not at URLs")
	case filepath.IsAbs(source), strings.HasPrefix(source, "./"), strings.HasPrefix(source, "../"):
		return i.fromPath(source, constraints)
	}
	address, err := ParseAddress(source)
	if err != nil {
		return Binary{}, err
	}
	return i.fromMirrors(ctx, address, constraints)
}

// fromPath returns the program at a path.
func (i *Installer) fromPath(source string, constraints version.Constraints) (Binary, *Error) {
	path, err := filepath.Abs(source)
	if err != nil {
		return Binary{}, problem(InvalidSource, "%s", err)
	}
	b := Binary{Source: source, Path: path}
	b.Type, b.Version = parseBinaryName(filepath.Base(path))
	if len(constraints) > 0 {
		v, err := version.NewSemver(b.Version)
		switch {
		case err != nil:
			return Binary{}, problem(NoMatchingVersion, "the file's name does not contain its version; omit the version, or name the file terraform-provider-%s_vVERSION", b.Type)
		case !constraints.Check(v):
			return Binary{}, problem(NoMatchingVersion, "the file is of version %s", b.Version)
		}
	}
	if err := checkProgram(path); err != nil {
		return Binary{}, err
	}
	if err := i.program(&b, path); err != nil {
		return Binary{}, problem(InvalidPackage, "%s", err)
	}
	return b, nil
}

func checkProgram(path string) *Error {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return problem(NotFound, "there is no file %s", path)
	case err != nil:
		return problem(NotFound, "%s", err)
	case !info.Mode().IsRegular():
		return problem(InvalidPackage, "%s is not a file", path)
	case info.Mode()&0o111 == 0 && runtime.GOOS != "windows":
		return problem(InvalidPackage, "%s is not marked as executable; chmod +x it", path)
	}
	return nil
}

// Reason is the reason why a provider could not be found.
type Reason string

// Reasons of Error.
const (
	InvalidSource     Reason = "InvalidSource"
	InvalidConstraint Reason = "InvalidVersionConstraint"
	NotFound          Reason = "NotFound"
	NoMatchingVersion Reason = "NoMatchingVersion"
	// InvalidPackage: the file is not a provider's package or program.
	InvalidPackage Reason = "InvalidPackage"
	// Unsupported: this kind of source is not supported.
	Unsupported Reason = "Unsupported"
)

// Error is the error of a provider that could not be found.
type Error struct {
	Reason             Reason
	Source, Constraint string
	// Detail describes to users what was searched and what was found.
	Detail string
	// Available are the versions that were found, the newest first.
	Available []string
}

func (e *Error) Error() string {
	name := e.Source
	if e.Constraint != "" {
		name += " " + e.Constraint
	}
	return fmt.Sprintf("provider %s: %s", name, e.Detail)
}

func problem(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
