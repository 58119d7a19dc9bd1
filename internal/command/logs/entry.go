package logs

import (
	"encoding/json"
	"math"
	"time"
)

// Entry is a line of the controller's log.
type Entry struct {
	At time.Time
	// Level is info, error, or debug.
	Level   string
	Message string
	// Values are the other members of the line.
	Values map[string]any
}

// Parse reads a line; false if it is not one of the log.
func Parse(line []byte) (Entry, bool) {
	e := Entry{}
	if json.Unmarshal(line, &e.Values) != nil {
		return Entry{}, false
	}
	e.Level, e.Message = e.text("level"), e.text("msg")
	switch ts := e.Values["ts"].(type) {
	case float64: // seconds
		whole, part := math.Modf(ts)
		e.At = time.Unix(int64(whole), int64(part*1e9)).UTC()
	case string:
		at, err := time.Parse(time.RFC3339Nano, ts)
		if err != nil {
			return Entry{}, false
		}
		e.At = at.UTC()
	}
	return e, !e.At.IsZero() && e.Message != ""
}

// text returns a value that is text; "" if there is none.
func (e Entry) text(name string) string {
	s, _ := e.Values[name].(string)
	return s
}

// time returns a value that is a time; zero if there is none.
func (e Entry) time(name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, e.text(name))
	return at
}
