package child

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Lock is the name of the file by which a folder is known to be one of a process that runs.
const Lock = ".lock"

// Prefix begins the names of temporary folders that are removed by RemoveLeft.
const Prefix = "lb-"

// Own locks a folder of this process, so that no other process removes it. The lock ends with the
// process. name is that of the file, which the folder must not have yet. Where folders cannot be
// locked, the error is errors.ErrUnsupported.
func Own(folder, name string) (held *os.File, err error) {
	// The file gets its name once it is locked: others take a file without a lock for that of a
	// dead process.
	path := filepath.Join(folder, name)
	if held, err = lock(path + ".new"); err != nil {
		return nil, err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return held, nil
}

// RemoveLeft removes folders that processes have left that were killed: those in a directory whose
// names begin with a prefix, and whose file no process has locked. A folder that cannot be removed
// stays until the next call.
func RemoveLeft(directory, prefix, name string) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		folder := filepath.Join(directory, e.Name())
		path := filepath.Join(folder, name)
		// Without a file it was made just now, or its process died right after making it, or
		// another program made it.
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		held, err := lock(path)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(folder)
		_ = held.Close()
	}
}
