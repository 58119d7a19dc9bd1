package commandline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/landbridge-io/landbridge/internal/child"
)

const (
	// socketName begins the names of sockets; a letter follows.
	socketName = "p"
	// processPrefix begins the names of the directories that hold the workspaces of one process.
	processPrefix = "landbridge-cli-"
	lockName      = "lock"
	// maxSocketPath is the maximum length of the path of a socket, in bytes.
	maxSocketPath = 100
)

// workspaces is the directory with the workspaces of one process. Close removes it; if the process
// is killed, the next one removes it. Only this user can read it, since configurations and states
// contain secrets.
type workspaces struct {
	base string

	mu     sync.Mutex
	dir    string
	lock   *os.File
	closed bool
}

// openWorkspaces makes the directory within base, and removes those of dead processes.
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
	child.RemoveLeft(base, processPrefix, lockName)
	return w, nil
}

// makeDirectory makes a directory for the workspaces of this process within base, and locks it.
func makeDirectory(base string) (dir string, held *os.File, err error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(base, processPrefix); err != nil {
		return "", nil, err
	}
	if n := len(filepath.Join(dir, "w-0000000000", socketName+"a")); n > maxSocketPath {
		return "", nil, errors.Join(fmt.Errorf("the path %s is too long for sockets in it: use a shorter one", base), os.RemoveAll(dir))
	}
	if held, err = child.Own(dir, lockName); errors.Is(err, errors.ErrUnsupported) {
		err = errors.New("the command line of OpenTofu or Terraform is run on Linux and macOS only")
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, held, nil
}

func (w *workspaces) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	return errors.Join(os.RemoveAll(w.dir), w.lock.Close())
}

// current returns the directory with the workspaces.
func (w *workspaces) current() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dir
}

// workspace is the directory of one run.
type workspace struct{ dir string }

// open makes a workspace. If temporary directories were cleared, it makes the parent again.
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

// read returns the content of a file; nil if there is no such file.
func (w *workspace) read(name string) ([]byte, error) {
	b, err := os.ReadFile(w.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

func (w *workspace) close() { _ = os.RemoveAll(w.dir) }
