package child

import (
	"path/filepath"
	"slices"
)

// Reads reports whether a child may read a path, as far as the sandbox goes.
func (s *Sandbox) Reads(path string) bool {
	return s == nil || s.Read == nil || s.allows(slices.Concat(s.Read, s.Write), path)
}

// Writes reports whether a child may write a path, as far as the sandbox goes.
func (s *Sandbox) Writes(path string) bool {
	return s == nil || s.allows(s.Write, path)
}

// Connects reports whether a child may connect to a TCP port.
func (s *Sandbox) Connects(port uint16) bool {
	return s == nil || s.Connect == nil || slices.Contains(s.Connect, port)
}

// allows reports whether one of the paths has another one, which need not exist.
func (s *Sandbox) allows(paths []string, path string) bool {
	hidden, real := resolved(s.Hidden), existing(path)
	return slices.ContainsFunc(paths, func(allowed string) bool {
		return slices.ContainsFunc(except(allowed, hidden), func(dir string) bool { return beneath(dir, real) })
	})
}

// existing returns a path without symbolic links in the part of it that exists.
func existing(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil || path == filepath.Dir(path) {
		return real
	}
	return filepath.Join(existing(filepath.Dir(path)), filepath.Base(path))
}
