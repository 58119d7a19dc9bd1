package install

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	version "github.com/hashicorp/go-version"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// registryAddress returns an address as sources have it.
func registryAddress(a Address) registry.Address {
	return registry.Address{Host: a.Host, Namespace: a.Namespace, Type: a.Type, Implicit: !a.Explicit}
}

// fromSources finds a provider in the sources of Registry: the newest version that meets the
// constraints, or the one of the request.
func (i *Installer) fromSources(ctx context.Context, a Address, constraints version.Constraints, r Request) (Binary, *Error) {
	if r.Version != "" {
		if b, ok := i.fromCache(a, r); ok {
			return b, nil
		}
	}
	sources, err := i.Registry.Sources(registryAddress(a))
	switch {
	case err != nil:
		return Binary{}, remoteProblem(err)
	case len(sources) == 0:
		return Binary{}, problem(NotFound, "there is no source for it: provider_installation excludes it, or "+
			"registries are turned off (--provider-registry)")
	case r.Offline:
		if b, ok := i.fromFolders(ctx, a, sources, r); ok {
			return b, nil
		}
		if slices.ContainsFunc(sources, func(s registry.Source) bool { return s.Folder == "" }) {
			return Binary{}, problem(NotDownloaded, "it is not in the cache")
		}
	}
	all, elsewhere, problemOf := i.candidates(ctx, a, sources)
	if problemOf != nil {
		return Binary{}, problemOf
	}
	for _, f := range all {
		if r.Version != "" && f.version.String() != r.Version || r.Version == "" && !meets(f.version, constraints) {
			continue
		}
		return i.obtain(ctx, a, f, r)
	}
	return Binary{}, i.nothing(all, elsewhere, describeSources(sources))
}

func describeSources(sources []registry.Source) string {
	names := make([]string, len(sources))
	for n, s := range sources {
		names[n] = s.String()
	}
	return strings.Join(names, " and ")
}

// candidates returns the versions in all sources, the newest first and equal ones in the order of
// the sources, and the platforms of those that are not for this one.
func (i *Installer) candidates(ctx context.Context, a Address, sources []registry.Source) (all []found, elsewhere []string, _ *Error) {
	for _, s := range sources {
		if s.Folder != "" {
			here, other, err := i.folder(a, s)
			if err != nil {
				return nil, nil, err
			}
			all, elsewhere = append(all, here...), append(elsewhere, other...)
			continue
		}
		versions, err := s.Versions(ctx)
		if err != nil && registry.KindOf(err) == registry.NotFound {
			continue
		}
		if err != nil {
			return nil, nil, remoteProblem(err)
		}
		for _, one := range versions {
			v, err := version.NewSemver(one.Version)
			switch {
			case err != nil: // a tag that is no version
			case len(one.Platforms) > 0 && !slices.Contains(one.Platforms, i.platform()):
				elsewhere = append(elsewhere, one.Platforms...)
			default:
				all = append(all, found{version: v, text: one.Version, source: s})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y found) int { return y.version.Compare(x.version) })
	return all, elsewhere, nil
}

// folder returns the versions in a filesystem mirror.
func (i *Installer) folder(a Address, s registry.Source) (all []found, elsewhere []string, _ *Error) {
	for _, host := range s.Hosts {
		here, other, err := scan(filepath.Join(s.Folder, host, a.Namespace, a.Type), a.Type, i.platform())
		if err != nil {
			return nil, nil, problem(InvalidPackage, "the mirror cannot be read: %s", err)
		}
		for n := range here {
			here[n].source = s
		}
		all, elsewhere = append(all, here...), append(elsewhere, other...)
	}
	return all, elsewhere, nil
}

// fromFolders returns the version of the request, if a filesystem mirror has it as it is locked.
func (i *Installer) fromFolders(ctx context.Context, a Address, sources []registry.Source, r Request) (Binary, bool) {
	if _, locked := r.lock(r.Version); !locked {
		return Binary{}, false
	}
	for _, s := range sources {
		if s.Folder == "" {
			continue
		}
		all, _, err := i.folder(a, s)
		if err != nil {
			continue
		}
		for _, f := range all {
			if f.version.String() == r.Version {
				if b, err := i.obtain(ctx, a, f, r); err == nil {
					return b, true
				}
			}
		}
	}
	return Binary{}, false
}

// obtain returns the program of a version that was found, after it has downloaded and checked its
// package.
func (i *Installer) obtain(ctx context.Context, a Address, f found, r Request) (Binary, *Error) {
	p := &registry.Package{Version: f.version.String(), Origin: f.source.String()}
	if f.source.Folder == "" {
		var err error
		if p, err = f.source.Package(ctx, f.text, i.platform()); err != nil {
			return Binary{}, remoteProblem(err)
		}
		p.Version = f.version.String()
	}
	if len(r.Cosign) > 0 && p.Signer == nil {
		if err := p.VerifyCosign(ctx, r.Cosign); err != nil {
			return Binary{}, remoteProblem(err)
		}
	}
	if err := r.checkTrust(lockOf(p, nil)); err != nil {
		return Binary{}, err
	}
	if r.comparable(p.Version, p.Hashes) {
		if err := r.checkLock(p.Version, p.Origin, p.Hashes); err != nil {
			return Binary{}, err
		}
	}
	if f.source.Folder == "" {
		var err *Error
		if f.archive, err = i.download(ctx, a, p); err != nil {
			return Binary{}, err
		}
	}
	b, err := i.take(a, f)
	if err != nil {
		return Binary{}, err
	}
	if err := checkHashes(p, b.Checksums); err != nil {
		return Binary{}, err
	}
	if err := r.checkLock(p.Version, p.Origin, b.Checksums); err != nil {
		return Binary{}, err
	}
	lock := lockOf(p, b.Checksums)
	b.Lock = &lock
	return b, nil
}

// checkHashes returns an error if a package has none of the checksums that its source has for it.
func checkHashes(p *registry.Package, checksums []string) *Error {
	if len(p.Hashes) == 0 || slices.ContainsFunc(checksums, func(c string) bool { return slices.Contains(p.Hashes, c) }) {
		return nil
	}
	return problem(Untrusted, "the package of version %s has the checksum %s, and %s says that it is %s; it was "+
		"damaged or replaced on its way, and is not installed",
		p.Version, strings.Join(checksums, " "), p.Origin, describeHashes(p.Hashes))
}

// cached returns the path of a package in the cache, which is a filesystem mirror.
func (i *Installer) cached(a Address, version string) string {
	host := a.Host
	if !a.Explicit {
		host = cmp.Or(i.Registry.Registry, host)
	}
	return filepath.Join(i.CacheDir, "packages", host, a.Namespace, a.Type, binaryPrefix+a.Type+"_"+version+"_"+i.platform()+".zip")
}

// fromCache returns the version of the request from the cache, if it is locked and is there as it
// was locked.
func (i *Installer) fromCache(a Address, r Request) (Binary, bool) {
	lock, locked := r.lock(r.Version)
	v, err := version.NewSemver(r.Version)
	if !locked || err != nil || i.CacheDir == "" || r.demanding() && !r.trusted(lock.Key) {
		return Binary{}, false
	}
	path := i.cached(a, v.String())
	if sum, err := checksum.Of(path); err != nil ||
		r.comparable(r.Version, []string{"zh:" + sum}) && !slices.Contains(lock.Hashes, "zh:"+sum) {
		return Binary{}, false
	}
	b, problemOf := i.take(a, found{version: v, text: r.Version, archive: path})
	if problemOf != nil || !slices.ContainsFunc(b.Checksums, func(c string) bool { return slices.Contains(lock.Hashes, c) }) {
		return Binary{}, false
	}
	b.Lock = &lock
	return b, true
}

// download returns the path of a package in the cache. It is downloaded to another name, checked
// there, and then moved, so that whoever shares the cache finds the whole package or none.
func (i *Installer) download(ctx context.Context, a Address, p *registry.Package) (string, *Error) {
	if i.CacheDir == "" {
		return "", problem(Unsupported, "it must be downloaded, and there is no cache directory")
	}
	path := i.cached(a, p.Version)
	if sum, err := checksum.Of(path); err == nil && slices.Contains(p.Hashes, "zh:"+sum) {
		return path, nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", problem(CacheUnusable, "the cache cannot be written: %s; check --provider-cache", err)
	}
	removeLeftOver(dir)
	to, err := os.CreateTemp(dir, leftOver+"*")
	if err != nil {
		return "", problem(CacheUnusable, "the cache cannot be written: %s; check --provider-cache", err)
	}
	defer os.Remove(to.Name())
	defer to.Close()
	sum, err := p.Download(ctx, to)
	if err != nil {
		return "", remoteProblem(err)
	}
	checksums := []string{"zh:" + sum}
	if len(p.Hashes) > 0 && !slices.Contains(p.Hashes, checksums[0]) {
		h1, err := hashOf(to)
		if err != nil && slices.ContainsFunc(p.Hashes, func(h string) bool { return strings.HasPrefix(h, "h1:") }) {
			return "", problem(InvalidPackage, "the package of version %s in %s cannot be read: %s", p.Version, p.Origin, err)
		}
		if err := checkHashes(p, append(checksums, h1)); err != nil {
			return "", err
		}
	}
	if err := errors.Join(to.Sync(), to.Close(), os.Rename(to.Name(), path)); err != nil {
		return "", problem(CacheUnusable, "the cache cannot be written: %s; check --provider-cache", err)
	}
	return path, nil
}

// hashOf returns the h1: checksum of a packed package.
func hashOf(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	r, err := zip.NewReader(f, info.Size())
	if err != nil {
		return "", err
	}
	return archiveHash(r, nil, "")
}

// leftOver is the beginning of the names of files that are being downloaded.
const leftOver = ".download-"

// removeLeftOver removes what controllers that have ended did not finish.
func removeLeftOver(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), leftOver) && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// remoteProblem returns the error of a source.
func remoteProblem(err error) *Error {
	reason, ok := map[registry.Kind]Reason{
		registry.NotFound: NotFound, registry.Denied: Denied, registry.Invalid: InvalidAnswer,
		registry.Untrusted: Untrusted, registry.Misconfigured: Misconfigured,
	}[registry.KindOf(err)]
	if !ok {
		reason = Unavailable
	}
	return problem(reason, "%s", err)
}
