package controller

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// changeLogVersion is the version of the lines of a change log. Members may be added without
// another one.
const changeLogVersion = 1

// ChangeLog writes the entries of change records as lines of JSON (docs/history.md).
type ChangeLog struct {
	Out    io.Writer
	Logger logr.Logger

	mu sync.Mutex
	// broken is set when the last line could not be written.
	broken bool
}

// changeLine is a line of a change log.
type changeLine struct {
	Version   int    `json:"version"`
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	history.Entry
}

// Write writes an entry. Errors are logged: an operation does not fail because of them.
func (l *ChangeLog) Write(k store.Key, e history.Entry) {
	line, err := json.Marshal(changeLine{changeLogVersion, k.Group, k.Kind, k.Namespace, k.Name, e})
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.Out.Write(append(line, '\n'))
	}
	if err != nil && !l.broken {
		l.Logger.Error(err, "Cannot write the change log; entries are missing in it until this is mended")
	}
	l.broken = err != nil
}
