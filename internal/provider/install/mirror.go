package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	version "github.com/hashicorp/go-version"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// platform returns the platform to search for, as packages spell it.
func (i *Installer) platform() string {
	if i.Platform != "" {
		return i.Platform
	}
	return runtime.GOOS + "_" + runtime.GOARCH
}

// found is one version of a provider in a mirror.
type found struct {
	version *version.Version
	// text is the version as the mirror spells it.
	text string
	// Exactly one is set: dir for an unpacked package, archive for a packed one.
	dir, archive string
	// source is where it was found, if that is a source of Installer.Registry. Then a packed
	// package may have to be downloaded.
	source registry.Source
}

// fromMirrors finds the newest version that meets the constraints in all mirrors.
func (i *Installer) fromMirrors(ctx context.Context, a Address, constraints version.Constraints) (Binary, *Error) {
	if len(i.Mirrors) == 0 {
		return Binary{}, problem(Unsupported, "no provider mirror is configured; name one with --provider-mirror, "+
			"or a registry with --provider-registry, or give the path of the provider's program")
	}
	all, elsewhere, looked, err := i.inMirrors(a)
	if err != nil {
		return Binary{}, err
	}
	for _, f := range all {
		if !meets(f.version, constraints) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return Binary{}, problem(NotFound, "%s", err)
		}
		return i.take(a, f)
	}
	return Binary{}, i.nothing(all, elsewhere, strings.Join(looked, " and "))
}

// inMirrors returns the versions in all mirrors, the newest first and equal ones in the order of
// the mirrors, the platforms of those that are not for this one, and the folders that were
// searched.
func (i *Installer) inMirrors(a Address) (all []found, elsewhere, looked []string, _ *Error) {
	for _, mirror := range i.Mirrors {
		if info, err := os.Stat(mirror); err != nil {
			return nil, nil, nil, problem(NotFound, "the mirror cannot be read: %s", err)
		} else if !info.IsDir() {
			return nil, nil, nil, problem(NotFound, "the mirror %s is not a directory", mirror)
		}
		for _, host := range i.hosts(a) {
			dir := filepath.Join(mirror, host, a.Namespace, a.Type)
			looked = append(looked, dir)
			here, other, err := scan(dir, a.Type, i.platform())
			if err != nil {
				return nil, nil, nil, problem(InvalidPackage, "the mirror cannot be read: %s", err)
			}
			all = append(all, here...)
			elsewhere = append(elsewhere, other...)
		}
	}
	slices.SortStableFunc(all, func(x, y found) int { return y.version.Compare(x.version) })
	return all, elsewhere, looked, nil
}

// maxNamed bounds the versions that an error names.
const maxNamed = 30

// nothing returns the error of a provider of which no version can be used: all are those for the
// platform, elsewhere the platforms of the others, and looked where they were searched.
func (i *Installer) nothing(all []found, elsewhere []string, looked string) *Error {
	var available []string
	for _, f := range all {
		if !slices.Contains(available, f.text) {
			available = append(available, f.text)
		}
	}
	switch {
	case len(available) > 0:
		named := strings.Join(available[:min(maxNamed, len(available))], ", ")
		if more := len(available) - maxNamed; more > 0 {
			named += fmt.Sprintf(" and %d older ones", more)
		}
		e := problem(NoMatchingVersion, "no version meets the constraint; there are %s in %s", named, looked)
		e.Available = available
		return e
	case len(elsewhere) > 0:
		slices.Sort(elsewhere)
		return problem(NotFound, "there is no build for %s in %s, only for %s", i.platform(), looked,
			strings.Join(slices.Compact(elsewhere), ", "))
	default:
		return problem(NotFound, "there is no such provider in %s", looked)
	}
}

// mirrored reports whether a mirror of Mirrors has the provider for any platform. Then registries
// are not asked for it.
func (i *Installer) mirrored(a Address) bool {
	for _, mirror := range i.Mirrors {
		if _, err := os.Stat(mirror); err != nil {
			return true // nothing is known of it
		}
		for _, host := range i.hosts(a) {
			here, elsewhere, err := scan(filepath.Join(mirror, host, a.Namespace, a.Type), a.Type, i.platform())
			if err != nil || len(here)+len(elsewhere) > 0 {
				return true
			}
		}
	}
	return false
}

// hosts returns the hosts under which mirrors are searched.
func (i *Installer) hosts(a Address) []string {
	if a.Explicit {
		return []string{a.Host}
	}
	all := []string{a.Host}
	for _, h := range i.Hosts {
		if !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

// scan returns the versions of a provider in a mirror's directory: those for the platform, and the
// platforms of the others. Entries in neither layout are ignored.
func scan(dir, typ, platform string) (here []found, elsewhere []string, err error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if ver, target, ok := parseArchiveName(e.Name(), typ); ok {
			if target != platform {
				elsewhere = append(elsewhere, target)
			} else if v, err := version.NewSemver(ver); err == nil {
				here = append(here, found{version: v, text: ver, archive: filepath.Join(dir, e.Name())})
			}
			continue
		}
		v, err := version.NewSemver(e.Name())
		if err != nil {
			continue
		}
		targets, err := os.ReadDir(filepath.Join(dir, e.Name()))
		if err != nil {
			continue // not a directory
		}
		for _, t := range targets {
			if t.Name() == platform {
				here = append(here, found{version: v, text: e.Name(), dir: filepath.Join(dir, e.Name(), platform)})
			} else if strings.Count(t.Name(), "_") == 1 {
				elsewhere = append(elsewhere, t.Name())
			}
		}
	}
	return here, elsewhere, nil
}

// parseArchiveName returns version and platform from the name of a packed package,
// terraform-provider-TYPE_VERSION_OS_ARCH.zip.
func parseArchiveName(name, typ string) (ver, target string, ok bool) {
	rest, ok := strings.CutPrefix(name, binaryPrefix+typ+"_")
	if !ok {
		return "", "", false
	}
	if rest, ok = strings.CutSuffix(rest, ".zip"); !ok {
		return "", "", false
	}
	parts := strings.Split(rest, "_")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return "", "", false
	}
	if _, err := version.NewSemver(parts[0]); err != nil {
		return "", "", false
	}
	return parts[0], parts[1] + "_" + parts[2], true
}

// take returns the program of a version in a mirror, unpacking it if necessary.
func (i *Installer) take(a Address, f found) (Binary, *Error) {
	b := Binary{Source: a.String(), Type: a.Type, Version: f.version.String()}
	if f.archive != "" {
		return b, i.unpack(a, f, &b)
	}
	path, problems := programIn(f.dir, a.Type)
	if problems == nil {
		problems = checkProgram(path)
	}
	if problems != nil {
		return Binary{}, problems
	}
	path, err := filepath.Abs(path)
	if err == nil {
		err = i.program(&b, path)
	}
	if err == nil && i.private() {
		var h1 string
		h1, err = directoryHash(f.dir, path, b.SHA256)
		b.Checksums = []string{h1}
	}
	if err != nil {
		return Binary{}, problem(InvalidPackage, "%s", err)
	}
	return b, nil
}

// programIn finds the program in an unpacked package.
func programIn(dir, typ string) (string, *Error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", problem(InvalidPackage, "the package cannot be read: %s", err)
	}
	for _, e := range entries {
		if isProgramName(e.Name(), typ) {
			return filepath.Join(dir, e.Name()), nil
		}
	}
	return "", problem(InvalidPackage, "there is no %s in %s", binaryPrefix+typ, dir)
}

// isProgramName reports whether a file of a package is the provider's program.
func isProgramName(name, typ string) bool {
	rest, ok := strings.CutPrefix(name, binaryPrefix+typ)
	return ok && (rest == "" || rest == ".exe" || strings.HasPrefix(rest, "_"))
}
