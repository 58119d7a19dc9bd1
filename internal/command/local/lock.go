package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// LockInfo describes the holder of a lock.
type LockInfo struct {
	Operation string    `json:"operation"`
	Process   int       `json:"process"`
	Host      string    `json:"host,omitempty"`
	Since     time.Time `json:"since"`
}

// LockedError is the error that a state file is locked.
type LockedError struct {
	Path string
	// Holder is the zero value if it is not known.
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

// Lock locks a state file for this process. It returns a *LockedError if another process holds the
// lock. The system releases the lock when the process ends. The file of the lock is not removed:
// another process might have locked it.
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
		// It is informational.
		_ = f.Truncate(0)
		_, _ = f.WriteAt(append(b, '\n'), 0)
	}
	return func() { _ = f.Truncate(0); f.Close() }, nil
}
