package local

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// maxSource bounds the size of one file, in bytes. Kubernetes accepts objects of up to 1.5 MiB.
const maxSource = 32 << 20

// Source is a file of manifests.
type Source struct {
	Name string
	Data []byte
}

// ReadSources reads files, the YAML and JSON files of directories, and "-", which is stdin.
func ReadSources(paths []string, stdin io.Reader) ([]Source, error) {
	var out []Source
	for _, p := range paths {
		if p == "-" {
			b, err := readAll("standard input", stdin)
			if err != nil {
				return nil, err
			}
			out = append(out, Source{Name: "standard input", Data: b})
			continue
		}
		files, err := filesOf(p)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				return nil, err
			}
			b, err := readAll(file, f)
			f.Close()
			if err != nil {
				return nil, err
			}
			out = append(out, Source{Name: file, Data: b})
		}
	}
	return out, nil
}

func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: there is no .yaml, .yml or .json file in this directory", path)
	}
	return out, nil
}

func readAll(name string, r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(b) > maxSource {
		return nil, fmt.Errorf("%s: it is larger than %d MiB", name, maxSource>>20)
	}
	return b, nil
}
