package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

const (
	configFile, stateFile = "main.tf.json", "terraform.tfstate"
	socketName            = "p"
	// processPrefix begins the names of the directories that hold the workspaces of one process.
	processPrefix = "landbridge-cli-"
	lockName      = "lock"
	// maxSocketPath is how long the path of a socket may be, in bytes.
	maxSocketPath = 100
)

// workspaces is the directory of one process's workspaces. There is one per run, and it is removed
// with all that is in it. What a process that was killed has left behind, the next one removes.
// Nobody but this user can look inside: configurations and states hold secrets.
type workspaces struct {
	base string

	mu     sync.Mutex
	dir    string
	lock   *os.File
	closed bool
}

// openWorkspaces makes the directory within base, and removes those of processes that are no more.
func openWorkspaces(base string) (*workspaces, error) {
	if base == "" {
		base = os.TempDir()
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return nil, err
	}
	w := &workspaces{base: base}
	if w.dir, w.lock, err = makeDirectory(base); err != nil {
		return nil, err
	}
	collect(base)
	return w, nil
}

// makeDirectory makes a directory for one process's workspaces within base, which this process holds.
func makeDirectory(base string) (dir string, held *os.File, err error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(base, processPrefix); err != nil {
		return "", nil, err
	}
	if n := len(filepath.Join(dir, "w-0000000000", socketName)); n > maxSocketPath {
		return "", nil, errors.Join(fmt.Errorf("the path %s is too long for sockets in it: use a shorter one", base), os.RemoveAll(dir))
	}
	// The lock gets its name when it is held: others take one that is not for that of a dead process.
	path := filepath.Join(dir, lockName)
	if held, err = lock(path + ".new"); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, held, nil
}

// lock holds a file as long as this process lives.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// collect removes the directories that no living process holds. One that cannot be removed is left
// to the next process.
func collect(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), processPrefix) {
			continue
		}
		dir := filepath.Join(base, e.Name())
		path := filepath.Join(dir, lockName)
		// Without a lock it was made just now, or its process died at that very moment: nothing is in it.
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		held, err := lock(path)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(dir)
		_ = held.Close()
	}
}

func (w *workspaces) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	return errors.Join(os.RemoveAll(w.dir), w.lock.Close())
}

// workspace is the directory of one run.
type workspace struct{ dir string }

// open makes a workspace. Somebody who clears temporary directories may have removed all of them.
func (w *workspaces) open() (*workspace, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fs.ErrClosed
	}
	dir, err := os.MkdirTemp(w.dir, "w-")
	if errors.Is(err, fs.ErrNotExist) {
		var held *os.File
		if dir, held, err = makeDirectory(w.base); err != nil {
			return nil, err
		}
		_ = w.lock.Close()
		w.dir, w.lock = dir, held
		dir, err = os.MkdirTemp(w.dir, "w-")
	}
	if err != nil {
		return nil, err
	}
	return &workspace{dir: dir}, nil
}

func (w *workspace) path(name string) string { return filepath.Join(w.dir, name) }

func (w *workspace) write(name string, content []byte) error {
	return os.WriteFile(w.path(name), content, 0o600)
}

// read reads a file; nil is that it is not there.
func (w *workspace) read(name string) ([]byte, error) {
	b, err := os.ReadFile(w.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

func (w *workspace) close() { _ = os.RemoveAll(w.dir) }
