package program

import (
	"bytes"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// setLogLevel sets the log level of a provider in this process. Variables of the environment that
// set levels are left alone.
func setLogLevel(level plugin.LogLevel) error {
	for _, name := range plugin.LogVariables {
		if _, set := os.LookupEnv(name); set {
			continue
		}
		if err := os.Setenv(name, string(level)); err != nil {
			return err
		}
	}
	// Providers on the legacy SDK also write to Go's standard log.
	log.SetOutput(&levelWriter{least: rank(string(level)), w: os.Stderr})
	return nil
}

// rank returns the index of a level, the same or more verbose than those before it; -1 if there is
// no such level.
func rank(level string) int {
	return slices.IndexFunc(levels, func(l string) bool { return strings.EqualFold(l, level) })
}

// levelWriter passes on the lines that have a level, as in "[WARN] text", up to the most verbose
// one; and others unless it is Off.
type levelWriter struct {
	least int
	w     io.Writer
}

// Write implements io.Writer. The log package calls it with one entry at a time.
func (w *levelWriter) Write(entry []byte) (int, error) {
	if !w.passes(entry) {
		return len(entry), nil
	}
	return w.w.Write(entry)
}

func (w *levelWriter) passes(entry []byte) bool {
	if w.least <= 0 {
		return false
	}
	_, rest, _ := bytes.Cut(entry, []byte("["))
	level, _, ok := bytes.Cut(rest, []byte("]"))
	if i := rank(string(level)); ok && i > 0 {
		return i <= w.least
	}
	return true
}
