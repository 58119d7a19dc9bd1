package install

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
)

// packageHash returns the h1: checksum of a package, as Terraform's lock files have it: of the
// SHA-256 of its files, in hex by name.
func packageHash(files map[string]string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s  %s\n", files[name], name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// directoryHash returns the h1: checksum of an unpacked package. The checksum of the program is the
// one that was taken when it was copied.
func directoryHash(dir, program, sum string) (string, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	files := map[string]string{}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if name == filepath.Base(program) {
			files[name] = sum
			return nil
		}
		files[name], err = checksum.Of(path)
		return err
	})
	return packageHash(files), err
}

// archiveHash returns the h1: checksum of a packed package. The checksum of the program is the one
// that was taken when it was unpacked.
func archiveHash(r *zip.Reader, program *zip.File, sum string) (string, error) {
	files, room := map[string]string{}, int64(maxProgram)
	for _, f := range r.File {
		switch _, twice := files[f.Name]; {
		case f == program:
			files[f.Name] = sum
			continue
		case twice, strings.Contains(f.Name, "\n"):
			return "", fmt.Errorf("it has the file %q twice, or its name is invalid", f.Name)
		}
		if err := checkSize(f); err != nil {
			return "", err
		}
		in, err := f.Open()
		if err != nil {
			return "", err
		}
		h := sha256.New()
		n, err := io.Copy(h, io.LimitReader(in, room+1))
		_ = in.Close()
		if room -= n; err == nil && room < 0 {
			err = errTooLarge
		}
		if err != nil {
			return "", err
		}
		files[f.Name] = hex.EncodeToString(h.Sum(nil))
	}
	return packageHash(files), nil
}
