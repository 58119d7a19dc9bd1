package module

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// checksum makes a digest of files in packages.
type checksum struct {
	hash.Hash
	// size is the number of bytes of the files that were added by addFile, and files are their
	// paths.
	size  *int64
	files *[]string
	// originals are the contents of files that were changed, by path.
	originals map[string][]byte
}

func newChecksum() checksum {
	return checksum{Hash: sha256.New(), size: new(int64), files: new([]string)}
}

// maxFetched is the maximum size of all packages that are fetched for a module, in bytes:
// repositories have more in them than the module.
const maxFetched = 1 << 30

// add adds a file. Lengths precede names and contents, so that no two sets of files are taken for
// each other.
func (d checksum) add(pkg, name string, content []byte) {
	d.head(pkg, name, int64(len(content)))
	d.Write(content)
}

func (d checksum) head(pkg, name string, size int64) {
	fmt.Fprintf(d, "%d %s %d %s %d ", len(pkg), pkg, len(name), name, size)
}

// addFile adds a file of the file system.
func (d checksum) addFile(pkg, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if *d.size += info.Size(); *d.size > maxFetched {
		return fmt.Errorf("the module, and those that it calls, have more than %d MiB. Use a smaller package", maxFetched>>20)
	}
	*d.files = append(*d.files, path)
	if content, ok := d.originals[path]; ok {
		d.add(pkg, name, content)
		return nil
	}
	d.head(pkg, name, info.Size())
	n, err := io.Copy(d, f)
	if err == nil && n != info.Size() {
		err = fmt.Errorf("%s changes while it is read", path)
	}
	return err
}

// String returns the digest in the form in which it is pinned.
func (d checksum) String() string { return "sha256:" + hex.EncodeToString(d.Sum(nil)) }

// addPackage adds all files of a package, except the history of a repository, which no module can
// use. Links that lead out of the package are an error unless they are allowed.
func (d checksum) addPackage(c call, allow []Permission) error {
	return filepath.WalkDir(c.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(c.root, path)
		switch {
		case err != nil:
			return err
		case e.Name() == ".git" && e.IsDir() && path != c.root:
			return fs.SkipDir
		case e.Name() == ".git" && path != c.root || e.IsDir():
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			if to, err := filepath.EvalSymlinks(path); (err != nil || !within(c.root, to)) && !slices.Contains(allow, Files) {
				return errStray(name)
			}
			to, err := os.Readlink(path)
			d.add(c.pkg, name, []byte("link to "+to))
			return err
		case !e.Type().IsRegular():
			return fmt.Errorf("%s is not a file", name)
		}
		return d.addFile(c.pkg, name, path)
	})
}

// links returns an error if a link in the package of a module leads out of it.
func (m *Module) links(c call) diagnostic.Diagnostics {
	return m.addTo(newChecksum(), c)
}

// addTo adds the package of a module to a digest.
func (m *Module) addTo(d checksum, c call) diagnostic.Diagnostics {
	var stray errStray
	switch err := d.addPackage(c, m.source.Allow); {
	case errors.As(err, &stray):
		return diagnostic.Errorf(NotAllowed, "%s%s.", c.where(), err)
	case err != nil:
		return diagnostic.Errorf(NotFetched, "%s%s.", c.where(), err)
	}
	return nil
}

// verify checks where the modules come from, and sets the digest of all of them.
func (m *Module) verify(called []call) diagnostic.Diagnostics {
	d, seen := newChecksum(), map[string]bool{}
	d.originals = m.originals
	for _, c := range called {
		where := c.where()
		switch {
		case c.outside && !slices.Contains(m.source.Allow, Files):
			return diagnostic.Errorf(NotAllowed, "%sIts source is a directory outside the module's folder. Copy it "+
				"into the module, or list %s in spec.allow.", where, Files)
		case c.pkg != callName && m.source.Files != nil && m.source.Address == "" && m.source.Digest != "":
			return diagnostic.Errorf(NotAllowed, "%sThe digest of a ConfigMap does not cover modules that are "+
				"fetched from elsewhere. Use an address or a directory.", where)
		case seen[c.root]:
			continue
		}
		seen[c.root] = true
		if diags := m.addTo(d, c); diags.HasErrors() {
			return diags
		}
	}
	var err error
	if m.outside, err = m.sumOutside(called); err != nil {
		return diagnostic.Errorf(NotFetched, "%s.", err)
	}
	m.files = *d.files
	if m.Digest = d.String(); m.source.Digest != "" && m.source.Digest != m.Digest {
		return otherDigest(m.Digest, m.source.Digest)
	}
	return nil
}

func otherDigest(is, want string) diagnostic.Diagnostics {
	return diagnostic.Errorf(DigestMismatch, "The digest is %s, and spec.source.digest is %s. If you trust the "+
		"module as it is now, change spec.source.digest.", is, want)
}
