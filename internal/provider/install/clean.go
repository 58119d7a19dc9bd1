package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// useStep is how exactly it is known when something in the cache was used last. A new time makes a
// package be read again.
const useStep = 12 * time.Hour

// used notes that a program and its package are used: Clean keeps them. A cache that cannot be
// written has no use of it.
func (i *Installer) used(b Binary) {
	if i.CacheDir == "" || b.Path == "" {
		return
	}
	cache, err := filepath.Abs(i.CacheDir)
	if err != nil {
		return
	}
	for _, path := range []string{filepath.Dir(b.Path), b.Package} {
		if !strings.HasPrefix(path, cache+string(filepath.Separator)) {
			continue
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > useStep {
			now := time.Now()
			_ = os.Chtimes(path, now, now)
		}
	}
}

// Clean removes packages and programs from the cache that no Installer has found for a time, which
// is at least two days. It returns their paths. It removes nothing else, whatever the directory
// has.
func (i *Installer) Clean(unused time.Duration) (removed []string, _ error) {
	if i.CacheDir == "" {
		return nil, nil
	}
	before := time.Now().Add(-max(unused, 4*useStep))
	var errs []error
	remove := func(path string, old bool) {
		info, err := os.Lstat(path)
		if err != nil || !old && info.ModTime().After(before) || !info.Mode().IsRegular() {
			return
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
			return
		}
		removed = append(removed, path)
	}
	for _, pattern := range []string{"packages/*/*/*/" + binaryPrefix + "*.zip", "packages/*/*/*/" + leftOver + "*"} {
		for _, path := range i.inCache(pattern) {
			remove(path, false)
		}
	}
	for _, dir := range append(i.inCache("programs/*"), i.inCache("*/*/*/*/*/*")...) {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !sumName.MatchString(filepath.Base(dir)) || info.ModTime().After(before) {
			continue
		}
		programs, err := os.ReadDir(dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, p := range programs {
			// Programs that were given by a path may have other names.
			if strings.HasPrefix(p.Name(), binaryPrefix) || strings.HasPrefix(p.Name(), beingWritten) ||
				filepath.Base(filepath.Dir(dir)) == "programs" {
				remove(filepath.Join(dir, p.Name()), true)
			}
		}
		// Of an unpacked package also those of the platform and the version. Directories that are
		// not empty stay.
		for range 3 {
			if os.Remove(dir) != nil || filepath.Base(filepath.Dir(dir)) == "programs" {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	return removed, errors.Join(errs...)
}

// sumName matches the names of directories that programs are in: checksums of programs, or the
// beginnings of those of packages.
var sumName = regexp.MustCompile(`^([0-9a-f]{16}|[0-9a-f]{64})$`)

func (i *Installer) inCache(pattern string) []string {
	found, _ := fs.Glob(os.DirFS(i.CacheDir), pattern) // the pattern is valid
	for n := range found {
		found[n] = filepath.Join(i.CacheDir, found[n])
	}
	return found
}
