package module

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pathSeparator stands for a slash in the keys of a ConfigMap, which cannot have any.
const pathSeparator = "__"

// archives are the endings of keys whose values are archives.
var archives = []string{".tar.gz", ".tgz", ".zip"}

// FilesOf returns the files of a module by name from the keys of a ConfigMap:
// modules__label__main.tf is modules/label/main.tf, and an archive has the files that are in it.
func FilesOf(keys map[string][]byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	total := 0
	for key, content := range keys {
		put := func(name string, content []byte) error {
			if !filepath.IsLocal(name) {
				return fmt.Errorf("the key %s has %q, which is not the name of a file", key, name)
			}
			if _, ok := out[name]; ok {
				return fmt.Errorf("the key %s has the file %s, which another key has, too", key, name)
			}
			if total += len(content); total > maxModule {
				return fmt.Errorf("the files are larger than %d MiB", maxModule>>20)
			}
			out[name] = content
			return nil
		}
		err := error(nil)
		if slices.ContainsFunc(archives, func(ending string) bool { return strings.HasSuffix(key, ending) }) {
			if err = unpack(content, put); err != nil {
				err = fmt.Errorf("the key %s: %w", key, err)
			}
		} else {
			err = put(strings.ReplaceAll(key, pathSeparator, "/"), content)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unpack calls put with the files of an archive, except hidden ones. Links are refused.
func unpack(archive []byte, put func(name string, content []byte) error) error {
	switch {
	case bytes.HasPrefix(archive, []byte("PK")):
		return unzip(archive, put)
	case bytes.HasPrefix(archive, []byte{0x1f, 0x8b}):
		return untar(archive, put)
	default:
		return errors.New("it is neither a gzipped tar archive nor a zip archive")
	}
}

func unzip(archive []byte, put func(name string, content []byte) error) error {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fmt.Errorf("the archive cannot be read: %w", err)
	}
	room := int64(maxModule)
	for _, f := range r.File {
		mode := f.Mode()
		if mode.IsDir() || hidden(f.Name) {
			continue
		}
		if !mode.IsRegular() {
			return fmt.Errorf("%s is not a file", f.Name)
		}
		content, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", f.Name, err)
		}
		err = putPart(content, f.Name, &room, put)
		_ = content.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func untar(archive []byte, put func(name string, content []byte) error) error {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return fmt.Errorf("the archive cannot be read: %w", err)
	}
	room := int64(maxModule)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the archive cannot be read: %w", err)
		case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader, hidden(h.Name):
			continue
		case h.Typeflag != tar.TypeReg:
			return fmt.Errorf("%s is not a file", h.Name)
		}
		if err := putPart(r, h.Name, &room, put); err != nil {
			return err
		}
	}
}

// putPart puts one file of an archive, of which room bytes are left.
func putPart(from io.Reader, name string, room *int64, put func(name string, content []byte) error) error {
	content, err := io.ReadAll(io.LimitReader(from, *room+1))
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if *room -= int64(len(content)); *room < 0 {
		return fmt.Errorf("the files are larger than %d MiB", maxModule>>20)
	}
	return put(path.Clean(name), content)
}

// hidden reports whether a file, or a folder that it is in, is hidden. Such files are no part of a
// module.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Clean(name), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}
