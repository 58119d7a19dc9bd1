package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
)

// program sets the path and the checksum of a binary: of the file at a path, or of its private
// copy.
func (i *Installer) program(b *Binary, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if b.SHA256, err = checksum.Sum(f); err != nil {
		return err
	}
	b.Path = path
	// A script may need the files beside it.
	if start := make([]byte, 2); !i.private() || i.CacheDir == "" || readAt(f, start) && string(start) == "#!" {
		return nil
	}
	dir, err := filepath.Abs(filepath.Join(i.CacheDir, "programs", b.SHA256))
	if err != nil {
		return err
	}
	b.Path = filepath.Join(dir, filepath.Base(path))
	if sum, err := checksum.Of(b.Path); err == nil && sum == b.SHA256 {
		return nil
	}
	sum, err := writeProgram(io.NewSectionReader(f, 0, maxProgram+1), dir, b.Path)
	if err == nil && sum != b.SHA256 {
		_ = os.Remove(b.Path)
		err = fmt.Errorf("%s changes while it is copied", path)
	}
	return err
}

// private reports whether programs are copied.
func (i *Installer) private() bool { return i.Private || i.Registry != nil }

func readAt(f *os.File, b []byte) bool {
	_, err := f.ReadAt(b, 0)
	return err == nil
}

// beingWritten is the beginning of the names of programs that are being written.
const beingWritten = ".writing-"

// writeProgram writes a program that only this user can run and no user can write, and returns its
// checksum. A program that is already there is replaced, and goes on if it runs.
func writeProgram(in io.Reader, dir, path string) (sum string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	out, err := os.CreateTemp(dir, beingWritten+"*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out.Name())
		}
	}()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, h), io.LimitReader(in, maxProgram+1))
	if err == nil && n > maxProgram {
		err = errTooLarge
	}
	if err = errors.Join(err, out.Chmod(0o500), out.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), os.Rename(out.Name(), path)
}
