package changelog

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// version is the version of lines. Members may be added without another one.
const version = 1

// line is an entry with the resource that it is about.
type line struct {
	Version   int    `json:"version"`
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	history.Entry
}

func encode(k store.Key, e history.Entry) ([]byte, error) {
	return json.Marshal(line{version, k.Group, k.Kind, k.Namespace, k.Name, e})
}

// Lines writes entries as lines.
type Lines struct {
	Out    io.Writer
	Logger logr.Logger

	mu sync.Mutex
	// broken is set when the last line could not be written.
	broken bool
}

// Write writes an entry.
func (l *Lines) Write(k store.Key, e history.Entry) {
	text, err := encode(k, e)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.Out.Write(append(text, '\n'))
	}
	if err != nil && !l.broken {
		l.Logger.Error(err, "Cannot write the change log; entries are missing in it until this is mended")
	}
	l.broken = err != nil
}
