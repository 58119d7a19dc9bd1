package install

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
)

// maxProgram bounds a provider's program, in bytes. The largest known ones have 900 MB.
const maxProgram = 4 << 30

// unpacked is a package that was unpacked.
type unpacked struct{ program, h1 string }

// unpack extracts the program of a packed package into the cache. It extracts only the program, and
// does not use its name, so that no path in the package can lead out of the cache. A changed
// package is unpacked again.
func (i *Installer) unpack(a Address, f found, b *Binary) *Error {
	if i.CacheDir == "" {
		return problem(Unsupported, "%s is packed, and there is no cache directory to unpack it in", f.archive)
	}
	archive, err := os.Open(f.archive)
	if err != nil {
		return problem(InvalidPackage, "the package cannot be read: %s", err)
	}
	defer archive.Close()
	sum, err := checksum.Sum(archive)
	if err != nil {
		return problem(InvalidPackage, "the package cannot be read: %s", err)
	}
	dir := filepath.Join(i.CacheDir, a.Host, a.Namespace, a.Type, f.version.String(), i.platform(), sum[:16])
	if dir, err = filepath.Abs(dir); err != nil {
		return problem(InvalidPackage, "%s", err)
	}
	b.Path, b.Package = filepath.Join(dir, binaryPrefix+a.Type+"_v"+f.version.String()), f.archive
	i.mu.Lock()
	known, ok := i.unpacked[b.Path]
	i.mu.Unlock()
	b.SHA256, err = checksum.Of(b.Path)
	// A program that another process has unpacked may have been changed since.
	if err != nil || i.private() && (!ok || known.program != b.SHA256) {
		if known, err = unpackPackage(archive, a.Type, dir, b.Path, i.private()); err == nil {
			var again string
			if again, err = checksum.Sum(archive); err == nil && again != sum {
				err = errors.New("it has changed meanwhile")
			}
		}
		if err != nil {
			return problem(InvalidPackage, "the package %s cannot be unpacked: %s", f.archive, err)
		}
		i.mu.Lock()
		if i.unpacked == nil {
			i.unpacked = map[string]unpacked{}
		}
		i.unpacked[b.Path] = known
		i.mu.Unlock()
		b.SHA256 = known.program
	}
	if i.private() {
		b.Checksums = []string{known.h1, "zh:" + sum}
	}
	return nil
}

// unpackPackage extracts the program. whole makes it read the other files of the package, too, for
// its hash.
func unpackPackage(archive *os.File, typ, dir, path string, whole bool) (unpacked, error) {
	info, err := archive.Stat()
	if err != nil {
		return unpacked{}, err
	}
	r, err := zip.NewReader(archive, info.Size())
	if err != nil {
		return unpacked{}, err
	}
	program, err := programInArchive(r, typ)
	if err != nil {
		return unpacked{}, err
	}
	in, err := program.Open()
	if err != nil {
		return unpacked{}, err
	}
	defer in.Close()
	var out unpacked
	if out.program, err = writeProgram(in, dir, path); err != nil || !whole {
		return out, err
	}
	out.h1, err = archiveHash(r, program, out.program)
	return out, err
}

var errTooLarge = fmt.Errorf("it is larger than %d GiB", maxProgram>>30)

// programInArchive finds the program at the top of a packed package.
func programInArchive(r *zip.Reader, typ string) (*zip.File, error) {
	for _, f := range r.File {
		if !isProgramName(f.Name, typ) || strings.ContainsAny(f.Name, `/\`) || !f.Mode().IsRegular() {
			continue
		}
		return f, checkSize(f)
	}
	return nil, fmt.Errorf("there is no %s in it", binaryPrefix+typ)
}

const (
	// maxRatio bounds how much smaller a file is in a package. Programs become at most ten times
	// smaller.
	maxRatio = 200
	// smallFile is a size, in bytes, below which the ratio does not matter.
	smallFile = 64 << 20
)

// checkSize returns an error if a file would fill the disk.
func checkSize(f *zip.File) error {
	switch {
	case f.UncompressedSize64 > maxProgram:
		return errTooLarge
	case f.UncompressedSize64 > smallFile && f.UncompressedSize64/maxRatio > f.CompressedSize64:
		return fmt.Errorf("its file %q has %d bytes, packed into %d, which no program has", f.Name, f.UncompressedSize64, f.CompressedSize64)
	}
	return nil
}
