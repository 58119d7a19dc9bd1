package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/landbridge-io/landbridge/playground/internal/demo"
)

// exampleFiles returns the folder for the file that an example manifest is about, which it makes,
// and the directory of the manifests. It is the folder of the manifests, unless that belongs to
// another user of the machine. Then it is one in the data directory, with copies of the manifests.
func exampleFiles(dir, examples string) (files, manifests string, _ error) {
	own, err := ownFolder(demo.ExamplesDir)
	if err != nil || own {
		return demo.ExamplesDir, examples, err
	}
	files, manifests = filepath.Join(dir, "files"), filepath.Join(dir, "examples")
	if err := os.MkdirAll(files, 0o700); err != nil {
		return "", "", err
	}
	for _, name := range []string{"providers.yaml", "resources.yaml"} {
		if err := demo.WriteManifests(filepath.Join(examples, name), filepath.Join(manifests, name), files); err != nil {
			return "", "", err
		}
	}
	return files, manifests, nil
}

// ownFolder makes a folder, and reports whether it belongs to this user, who alone can write it.
// Others may have made it, or a symbolic link in its place, in a folder that all can write.
func ownFolder(path string) (bool, error) {
	if err := os.Mkdir(path, 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0, nil
}
