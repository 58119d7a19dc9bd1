package plugin

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// permitted reports whether the file system permits this program to read or to write a path. One
// that does not exist is written by whoever may write the folder that will have it.
func permitted(path string, write bool) bool {
	mode := uint32(unix.R_OK)
	if write {
		mode = unix.W_OK
	}
	for {
		err := unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS)
		if !errors.Is(err, unix.ENOENT) || path == filepath.Dir(path) {
			return err == nil
		}
		path = filepath.Dir(path)
	}
}
