package install

import (
	"archive/zip"
	"context"
	"os"
	"path/filepath"
	"slices"
)

// Versions returns the versions of a provider that mirrors or sources have for the platform, the
// newest first, without pre-releases.
func (i *Installer) Versions(ctx context.Context, source string) ([]string, error) {
	all, _, err := i.all(ctx, source)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range all {
		if v := f.version.String(); f.version.Prerelease() == "" && (len(out) == 0 || out[len(out)-1] != v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// all returns the versions of a provider where Find searches it, the newest first.
func (i *Installer) all(ctx context.Context, source string) ([]found, Address, *Error) {
	a, err := ParseAddress(source)
	if err != nil {
		return nil, a, err
	}
	if i.Registry == nil || i.mirrored(a) {
		all, _, _, err := i.inMirrors(a)
		return all, a, err
	}
	sources, sourcesErr := i.Registry.Sources(registryAddress(a))
	if sourcesErr != nil {
		return nil, a, remoteProblem(sourcesErr)
	}
	all, _, err := i.candidates(ctx, a, sources)
	return all, a, err
}

// Changelog returns where the changelog of a version is: the address of the release's page if the
// version is downloaded from one, or the path of a file in a filesystem mirror. It is empty if none
// is known. Nothing is downloaded.
func (i *Installer) Changelog(ctx context.Context, source, version string) (string, error) {
	all, _, err := i.all(ctx, source)
	if err != nil {
		return "", err
	}
	n := slices.IndexFunc(all, func(f found) bool { return f.version.String() == version })
	if n < 0 {
		return "", problem(NoMatchingVersion, "there is no version %s", version)
	}
	f := all[n]
	switch {
	case f.dir != "":
		path := filepath.Join(f.dir, changelogFile)
		if _, err := os.Stat(path); err != nil {
			return "", nil
		}
		return path, nil
	case f.archive != "":
		r, err := zip.OpenReader(f.archive)
		if err != nil {
			return "", problem(InvalidPackage, "%s: %s", f.archive, err)
		}
		defer r.Close()
		if slices.ContainsFunc(r.File, func(x *zip.File) bool { return x.Name == changelogFile }) {
			return changelogFile + " in " + f.archive, nil
		}
		return "", nil
	}
	p, packageErr := f.source.Package(ctx, f.text, i.platform())
	if packageErr != nil {
		return "", remoteProblem(packageErr)
	}
	return p.ReleasePage, nil
}

// changelogFile is the name of the changelog in the packages of most providers.
const changelogFile = "CHANGELOG.md"
