package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteDir writes the files to a directory, all or none; the sensitive ones only on request. None
// may exist already.
func (e Export) WriteDir(dir string, sensitive bool) error {
	files, mode := map[string][]byte{}, map[string]fs.FileMode{}
	for name, content := range e.Files {
		files[name], mode[name] = content, 0o644
	}
	for name, content := range e.Sensitive {
		if sensitive {
			files[name], mode[name] = content, 0o600
		}
	}
	for name := range files {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s already exists; nothing was written", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var written []string
	for _, name := range sortedKeys(files) {
		path := filepath.Join(dir, name)
		err := writeNew(path, files[name], mode[name])
		if err == nil {
			written = append(written, path)
			continue
		}
		for _, path := range written {
			err = errors.Join(err, os.Remove(path))
		}
		return err
	}
	return nil
}

func writeNew(path string, content []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
