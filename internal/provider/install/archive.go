package install

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxProgram bounds a provider's program, in bytes. The largest known ones have 900 MB.
const maxProgram = 4 << 30

// unpack extracts the program of a packed package into the cache. It extracts only the program, and does
// not use its name, so that no path in the package can lead out of the cache. A changed package is
// unpacked again.
func (i *Installer) unpack(a Address, f found) (string, *Error) {
	if i.CacheDir == "" {
		return "", problem(Unsupported, "%s is packed, and there is no cache directory to unpack it in", f.archive)
	}
	sum, err := i.sum(f.archive)
	if err != nil {
		return "", problem(InvalidPackage, "the package cannot be read: %s", err)
	}
	dir := filepath.Join(i.CacheDir, a.Host, a.Namespace, a.Type, f.version.String(), i.platform(), sum[:16])
	path := filepath.Join(dir, binaryPrefix+a.Type+"_v"+f.version.String())
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := unpackProgram(f.archive, a.Type, dir, path); err != nil {
		return "", problem(InvalidPackage, "the package %s cannot be unpacked: %s", f.archive, err)
	}
	return path, nil
}

func unpackProgram(archive, typ, dir, path string) (err error) {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer r.Close()
	program, err := programInArchive(&r.Reader, typ)
	if err != nil {
		return err
	}
	in, err := program.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	out, err := os.CreateTemp(dir, ".unpacking-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out.Name())
		}
	}()
	n, err := io.Copy(out, io.LimitReader(in, maxProgram+1))
	if err == nil && n > maxProgram {
		err = errTooLarge
	}
	if err = errors.Join(err, out.Chmod(0o755), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}

var errTooLarge = fmt.Errorf("its program is larger than %d GiB", maxProgram>>30)

// programInArchive finds the program at the top of a packed package.
func programInArchive(r *zip.Reader, typ string) (*zip.File, error) {
	for _, f := range r.File {
		if !isProgramName(f.Name, typ) || strings.ContainsAny(f.Name, `/\`) || !f.Mode().IsRegular() {
			continue
		}
		if f.UncompressedSize64 > maxProgram {
			return nil, errTooLarge
		}
		return f, nil
	}
	return nil, fmt.Errorf("there is no %s in it", binaryPrefix+typ)
}
