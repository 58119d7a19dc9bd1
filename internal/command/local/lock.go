package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// LockInfo says who holds a lock.
type LockInfo struct {
	Operation string    `json:"operation"`
	Process   int       `json:"process"`
	Host      string    `json:"host,omitempty"`
	Since     time.Time `json:"since"`
}

// LockedError says that a state file is locked.
type LockedError struct {
	Path string
	// Holder is the zero value where it is not known.
	Holder LockInfo
}

// Error implements error.
func (e *LockedError) Error() string {
	who := "another process"
	if h := e.Holder; h.Process != 0 {
		who = fmt.Sprintf("process %d on %s (%s, since %s)", h.Process, h.Host, h.Operation, h.Since.Format(time.DateTime))
	}
	return fmt.Sprintf("%s is locked by %s: wait until it has ended", e.Path, who)
}

var errLocked = errors.New("locked")

// Lock makes this process the only one of its kind that writes a state file; it fails with a
// *LockedError when another one is that already. The system
// releases the lock when the process ends, however it ends. The file of the lock stays: if it
// were removed, another process might have it locked.
func Lock(path, operation string) (unlock func(), err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		defer f.Close()
		if errors.Is(err, errLocked) {
			e := &LockedError{Path: path}
			if b, err := os.ReadFile(name); err == nil {
				_ = json.Unmarshal(b, &e.Holder)
			}
			return nil, e
		}
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	info := LockInfo{Operation: operation, Process: os.Getpid(), Since: time.Now().UTC().Truncate(time.Second)}
	info.Host, _ = os.Hostname()
	if b, err := json.Marshal(info); err == nil {
		// It only helps those who wait.
		_ = f.Truncate(0)
		_, _ = f.WriteAt(append(b, '\n'), 0)
	}
	return func() { _ = f.Truncate(0); f.Close() }, nil
}
