package install

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	version "github.com/hashicorp/go-version"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// Installer finds provider binaries. The zero value finds binaries by path. It must not be copied
// after its first use.
type Installer struct {
	// CacheDir is the directory into which packages are unpacked. Its file system must allow
	// running programs.
	CacheDir string
	// Mirrors are directories in the layout of Terraform's filesystem mirrors, packed or unpacked.
	// The newest version is chosen; if several mirrors have it, from the first of them.
	Mirrors []string
	// Hosts are additional registry hosts, such as registry.opentofu.org, under which mirrors are
	// searched for a source without a host.
	Hosts []string
	// Private makes programs be copied into CacheDir, which no other user of the machine may write,
	// and packages be unpacked there again by each process. So what Binary.SHA256 was taken of is
	// what runs, whoever can write the mirrors. Scripts are not copied.
	Private bool
	// Registry has the sources of providers that no mirror of Mirrors has. Their programs are
	// always private. Nil: none.
	Registry *registry.Client
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
	// Checksums are those of the package, as in Terraform's lock files: h1:, and zh: if it is
	// packed. Empty if the program was given by its path, or without Installer.Private.
	Checksums []string
	// Package is the path of the package. Empty unless it is packed.
	Package string
	// Lock is what to record of the version. Nil unless it is from a source of Installer.Registry.
	Lock *Lock
}

// Matches reports whether the program has one of the checksums: of its package, or sha256: and
// SHA256.
func (b Binary) Matches(checksums []string) bool {
	return slices.ContainsFunc(checksums, func(c string) bool {
		return slices.Contains(b.Checksums, c) || b.SHA256 != "" && c == "sha256:"+b.SHA256
	})
}

// Name returns the provider's name, such as random.
func (b Binary) Name() string { return b.Type }

// Install finds the newest version of a provider that meets a constraint; every release meets the
// empty constraint. A source that is a path ("/…", "./…", "../…") names the program itself.
// Repeated calls are cheap when nothing has changed. The error is an *Error.
func (i *Installer) Install(ctx context.Context, source, constraint string) (Binary, error) {
	return i.Find(ctx, Request{Source: source, Constraint: constraint})
}

// Find finds a provider like Install. If no mirror of Mirrors has it, it is searched in the sources
// of Registry, and downloaded.
func (i *Installer) Find(ctx context.Context, r Request) (Binary, error) {
	b, err := i.find(ctx, r)
	if err != nil {
		err.Source, err.Constraint = r.Source, r.Constraint
		return Binary{}, err
	}
	i.used(b)
	return b, nil
}

func (i *Installer) find(ctx context.Context, r Request) (Binary, *Error) {
	constraints, err := parseConstraints(r.Constraint)
	if err != nil {
		return Binary{}, err
	}
	switch {
	case r.Source == "":
		return Binary{}, problem(InvalidSource, "no source is given")
	case strings.Contains(r.Source, "://"):
		return Binary{}, problem(Unsupported, "a source is an address such as hashicorp/random, or a path, not a URL")
	case isPath(r.Source):
		return i.fromPath(r.Source, constraints)
	}
	address, err := ParseAddress(r.Source)
	if err != nil {
		return Binary{}, err
	}
	b, err := i.fromMirrors(ctx, address, constraints)
	if i.Registry == nil || err == nil || err.Reason != NotFound && err.Reason != Unsupported || i.mirrored(address) {
		return b, err
	}
	return i.fromSources(ctx, address, constraints, r)
}

// Locations returns where Find searches a provider, in this order. It is empty for the path of a
// program.
func (i *Installer) Locations(source string) ([]registry.Location, error) {
	if isPath(source) {
		return nil, nil
	}
	address, invalid := ParseAddress(source)
	if invalid != nil {
		return nil, invalid
	}
	var out []registry.Location
	if i.Registry == nil || i.mirrored(address) {
		for _, mirror := range i.Mirrors {
			path, err := filepath.Abs(mirror)
			if err != nil {
				return nil, err
			}
			out = append(out, registry.Location{Type: registry.FilesystemMirror, Path: path, Hosts: i.hosts(address)})
		}
		return out, nil
	}
	sources, err := i.Registry.Sources(registryAddress(address))
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		out = append(out, s.Locations()...)
	}
	return out, nil
}

// isPath reports whether a source is the path of a program.
func isPath(source string) bool {
	return filepath.IsAbs(source) || strings.HasPrefix(source, "./") || strings.HasPrefix(source, "../")
}

// fromPath returns the program at a path.
func (i *Installer) fromPath(source string, constraints version.Constraints) (Binary, *Error) {
	path, err := filepath.Abs(source)
	if err != nil {
		return Binary{}, problem(InvalidSource, "%s", err)
	}
	b := Binary{Source: source, Path: path}
	b.Type, b.Version = ParseBinaryName(path)
	if len(constraints) > 0 {
		v, err := version.NewSemver(b.Version)
		switch {
		case err != nil:
			return Binary{}, problem(NoMatchingVersion, "the file's name does not contain its version; omit the "+
				"version, or name the file terraform-provider-%s_vVERSION", cmp.Or(b.Type, "NAME"))
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
	// NotDownloaded: the provider must be downloaded, and the request does not permit it.
	NotDownloaded Reason = "NotDownloaded"
	// Unavailable: a registry or a mirror does not answer.
	Unavailable Reason = "Unavailable"
	// Denied: a registry or a mirror requires credentials, or others.
	Denied Reason = "Denied"
	// InvalidAnswer: a registry or a mirror does not follow its protocol.
	InvalidAnswer Reason = "InvalidAnswer"
	// Untrusted: a signature or a checksum is wrong, or contradicts what was recorded or is
	// demanded.
	Untrusted Reason = "Untrusted"
	// Misconfigured: a file that configures the sources is wrong.
	Misconfigured Reason = "Misconfigured"
	// CacheUnusable: a package cannot be written to the cache.
	CacheUnusable Reason = "CacheUnusable"
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
